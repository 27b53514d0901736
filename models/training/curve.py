#!/usr/bin/env python3
"""Draws a run's loss curve: curve.py LOG.jsonl OUT.png"""
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

with open(sys.argv[1]) as log:
    rows = [json.loads(line) for line in log]
tokens = [row["tokens"] / 1e6 for row in rows]
figure, axes = plt.subplots(figsize=(8, 4.5), dpi=80)
axes.plot(tokens, [row["target"] for row in rows], marker=".", label="what a completion must write")
axes.plot(tokens, [row["other"] for row in rows], marker=".", label="all other tokens")
axes.set(xlabel="million tokens", ylabel="nats a token", yscale="log")
axes.grid(alpha=0.3, which="both")
axes.legend()
rate = axes.twinx()
rate.plot(tokens, [row["lr"] for row in rows], color="gray", alpha=0.5, linewidth=1)
rate.set_ylabel("learning rate", color="gray")
figure.tight_layout()
figure.savefig(sys.argv[2])
