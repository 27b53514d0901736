#!/usr/bin/env python3
"""Draws the loss curves of runs, one behind the other: curve.py LOG.jsonl… OUT.png"""
import json
import os
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

*logs, out = sys.argv[1:]
figure, axes = plt.subplots(figsize=(14, 5), dpi=80)
rate = axes.twinx()
begin = 0.0
for path in logs:
    with open(path) as log:
        rows = [json.loads(line) for line in log]
    # The first steps of the first run would make the rest flat.
    rows = [row for row in rows if row["step"] >= 50]
    tokens = [begin + row["tokens"] / 1e9 for row in rows]
    axes.plot(tokens, [row["target"] for row in rows], color="C0", label="what a completion must write")
    axes.plot(tokens, [row["other"] for row in rows], color="C1", label="all other tokens")
    rate.plot(tokens, [row["lr"] for row in rows], color="gray", alpha=0.5, linewidth=1)
    axes.axvline(begin, color="gray", alpha=0.5, linewidth=1)
    day = os.path.basename(path)[5:-6].replace("-", " ").split(maxsplit=2)
    axes.text(begin + 0.02, 1.78, "\n".join(("-".join(day[:2]), *day[2:])), fontsize=8, verticalalignment="top")
    begin = tokens[-1]
axes.set(xlabel="billion tokens, of all runs", ylabel="nats a token", ylim=(0.45, 1.8), xlim=(0, begin))
axes.grid(alpha=0.3)
axes.legend(*(each[:2] for each in axes.get_legend_handles_labels()), loc="lower left")
rate.set_ylabel("learning rate", color="gray")
figure.tight_layout()
figure.canvas.draw()
# With few colours the file has a third of the size.
Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[..., :3]).quantize(32).save(out, optimize=True)
