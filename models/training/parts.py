#!/usr/bin/env python3
"""Cuts what a run leaves into parts that travel, 16 MB each.

    parts.py STATE OUT_DIR PREFIX

Writes the state in bfloat16 as OUT_DIR/PREFIX.00, .01 ...; together again with `cat OUT_DIR/PREFIX.* > STATE`.
"""
import io
import os
import sys

import torch

PART = 16_700_000

state, folder, prefix = sys.argv[1:4]
loaded = torch.load(state, map_location="cpu", weights_only=True)
loaded["weights"] = {name: value.bfloat16() for name, value in loaded["weights"].items()}
buffer = io.BytesIO()
torch.save(loaded, buffer)
raw = buffer.getvalue()
os.makedirs(folder, exist_ok=True)
for number in range(0, len(raw), PART):
    with open(f"{folder}/{prefix}.{number // PART:02d}", "wb") as part:
        part.write(raw[number:number + PART])
print(prefix, len(raw), "bytes in", -(-len(raw) // PART), "parts")
