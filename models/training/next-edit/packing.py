"""Writes examples as pieces that travel and that train.py reads."""
import io
import lzma

import numpy as np

# Up to 30 MB when compressed; 9 MB if neighbours have most of their lines in common.
PIECE_TOKENS = 30_000_000


def pieces(examples):
    """examples: the tokens of each, and the weight of each token as a target in tenths. Pieces of about equal size."""
    tokens, weights, sizes, count = [], [], [], 0
    for example, weight in examples:
        tokens.append(np.array(example, np.uint32))
        weights.append(np.array(weight, np.uint8))
        sizes.append(len(example))
        count += sizes[-1]
        if count >= PIECE_TOKENS:
            yield tokens, weights, sizes
            tokens, weights, sizes, count = [], [], [], 0
    if sizes:
        yield tokens, weights, sizes


def compressed(path, data):
    with lzma.open(path, "wb", preset=3) as target:
        target.write(data)


def write(folder, examples):
    """training-1.npz.xz and so on."""
    for number, (tokens, weights, sizes) in enumerate(pieces(examples), 1):
        buffer = io.BytesIO()
        np.savez(buffer, tokens=np.concatenate(tokens), weights=np.concatenate(weights), sizes=np.array(sizes, np.int64))
        compressed(f"{folder}/training-{number}.npz.xz", buffer.getvalue())
        answers = sum(int(np.count_nonzero(each)) for each in weights)
        print(f"piece {number}: {len(sizes)} examples, {sum(sizes) / 1e6:.1f} M tokens, {answers / 1e6:.1f} M of them answers", flush=True)
