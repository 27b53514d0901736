"""Joins the frames of animation.pictures.ts, files named NNN-MS.png, into media/ghost-text.gif. Needs Pillow."""

from pathlib import Path

from PIL import Image

paths = sorted(Path("build/e2e/frames").glob("*.png"))
# One palette for all frames, so that equal pixels stay equal and only changes are stored.
palette = Image.open(paths[-1]).convert("RGB").quantize(64)
frames = [Image.open(path).convert("RGB").quantize(palette=palette, dither=Image.Dither.NONE) for path in paths]
durations = [int(path.stem.split("-")[1]) for path in paths]
frames[0].save("media/ghost-text.gif", save_all=True, append_images=frames[1:], duration=durations, loop=0, optimize=True)
