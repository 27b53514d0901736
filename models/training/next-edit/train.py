#!/usr/bin/env python3
"""Step 3: trains an adapter for a model file, for so many seconds in all.

    train.py MODEL.gguf TRAINING-1.npz.xz TRAINING-2.npz.xz OUT --seconds 570 [--resume OUT/state.pt]
    torchrun --nproc-per-node 2 train.py ...                                 # a GPU for each process

OUT gets loss.csv, state.pt every two minutes, and adapter.gguf at the end. The loss is of the answers only. Each of several processes
takes its share of the rows, and all take the step that the mean of their gradients says.
"""
import argparse
import io
import lzma
import os
import time
from itertools import islice

STARTED = time.time()

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F

import gguf_file
from qwen2 import Adapter, Qwen2, blocks_of, flex_attend, separate_attention

SAVE_EVERY = 120
# For the last state, the adapter and the way out.
SPARE = 10
PAD = 151643


class Examples:
    """Tokens of all examples one behind the other, the weight of each as a target in tenths, and their sizes."""

    def __init__(self, paths, row):
        pieces = []
        for path in paths:
            with lzma.open(path) as source:
                pieces.append(np.load(io.BytesIO(source.read())))
        tokens, self.weights, sizes = (np.concatenate([piece[name] for piece in pieces]) for name in ("tokens", "weights", "sizes"))
        self.tokens = tokens.astype(np.int64)
        self.ends = np.cumsum(sizes)
        self.begins = self.ends - sizes
        self.usable = np.flatnonzero(sizes <= row)
        self.row = row

    def rows(self, seed):
        """Endless rows of whole examples: (pass, tokens, weights, sizes)."""
        number = 0
        while True:
            chosen, size = [], 0
            for each in np.random.default_rng([seed, number]).permutation(self.usable):
                length = self.ends[each] - self.begins[each]
                if size + length > self.row:
                    yield number, *self.packed(chosen, size)
                    chosen, size = [], 0
                chosen.append(each)
                size += length
            number += 1

    def packed(self, chosen, size):
        pad = int(self.row - size)
        parts = [slice(self.begins[each], self.ends[each]) for each in chosen]
        tokens = np.concatenate([*(self.tokens[part] for part in parts), np.full(pad, PAD)])
        weights = np.concatenate([*(self.weights[part] for part in parts), np.zeros(pad, np.uint8)])
        return tokens, weights, [int(part.stop - part.start) for part in parts] + ([pad] if pad else [])


class Trainer:
    def __init__(self, model, adapter, attention):
        self.model, self.adapter, self.attention = model, adapter, attention
        self.flex_layer = torch.compile(self.layer_with_flex, dynamic=False, fullgraph=True) if attention == "compiled" else self.layer_with_flex

    def layer_with_flex(self, x, rotation, documents, blocks, weights, pairs):
        return self.model.layer(x, rotation, flex_attend(documents, blocks), weights, pairs, self.adapter.scale)

    def loss(self, tokens, weights, sizes):
        """The sum over the answers, and the sum of their weights."""
        model, device = self.model, self.model.device
        tokens = torch.from_numpy(tokens).to(device)
        x = model.embeddings[tokens].requires_grad_()
        rotation = model.rotation(torch.cat([torch.arange(size, device=device) for size in sizes]))
        if self.attention == "separate":
            attend = separate_attention(sizes)
            for layer, pairs in zip(model.layers, self.adapter.layers):
                x = model.layer(x, rotation, attend, layer, pairs, self.adapter.scale)
        else:
            documents = torch.repeat_interleave(torch.arange(len(sizes), device=device, dtype=torch.int32), torch.tensor(sizes, device=device), output_size=len(tokens))
            blocks = blocks_of(documents)
            for layer, pairs in zip(model.layers, self.adapter.layers):
                x = self.flex_layer(x, rotation, documents, blocks, layer, pairs)
        targets = np.flatnonzero(weights)
        weight = torch.from_numpy(weights[targets]).to(device).float() / 10
        places = torch.from_numpy(targets).to(device)
        costs = F.cross_entropy(model.logits(x[places - 1]), tokens[places], reduction="none")
        return (costs * weight).sum(), weight.sum()


class Processes:
    """The processes that train together: one, or as many as torchrun started."""

    def __init__(self):
        self.count, self.number = int(os.environ.get("WORLD_SIZE", 1)), int(os.environ.get("LOCAL_RANK", 0))
        self.device = f"cuda:{self.number}" if torch.cuda.is_available() else "cpu"
        if self.device != "cpu":
            torch.cuda.set_device(self.number)
        if self.count > 1:
            dist.init_process_group("nccl" if self.device != "cpu" else "gloo")

    def mean(self, tensors):
        """Puts the mean over all processes in each tensor."""
        if self.count == 1:
            return
        flat = torch.cat([each.flatten() for each in tensors])
        dist.all_reduce(flat)
        for each, part in zip(tensors, (flat / self.count).split([each.numel() for each in tensors])):
            each.copy_(part.view_as(each))

    def mean_of(self, number):
        tensor = torch.tensor([number], device=self.device)
        self.mean([tensor])
        return tensor.item()


def saved(path, adapter, optimizer, step):
    state = {"adapter": {name: each.detach().cpu() for name, each in adapter.named().items()}, "optimizer": optimizer.state_dict(), "step": step}
    torch.save(state, path + ".part")
    os.replace(path + ".part", path)


def main(args):
    processes = Processes()
    device, leads = processes.device, processes.number == 0
    torch.manual_seed(args.seed)
    os.makedirs(args.out, exist_ok=True)
    model = Qwen2(gguf_file.Reader(args.model), device, torch.float32 if device == "cpu" else torch.bfloat16)
    adapter = Adapter(model, args.rank, args.alpha, args.seed)
    optimizer = torch.optim.AdamW(adapter.parameters(), lr=args.rate, betas=(0.9, 0.98), weight_decay=0, fused=device != "cpu")
    step = 0
    if args.resume:
        state = torch.load(args.resume, map_location=device)
        adapter.load(state["adapter"])
        optimizer.load_state_dict(state["optimizer"])
        step = state["step"]
    print(f"{sum(each.numel() for each in adapter.parameters()) / 1e6:.1f} M parameters; model read after {time.time() - STARTED:.0f} s", flush=True)
    trainer = Trainer(model, adapter, args.attention or ("separate" if device == "cpu" else "compiled"))
    rows = islice(Examples(args.data, args.row).rows(args.seed + step), processes.number, None, processes.count)
    begun, last_saved, seen, first_step, end = time.time(), time.time(), 0, step, STARTED + args.seconds - SPARE
    with open(f"{args.out}/loss.csv" if leads else os.devnull, "a" if args.resume else "w") as curve:
        if not args.resume:
            curve.write("step,seconds,tokens,pass,loss,rate\n")
        while (part := processes.mean_of((time.time() - begun) / (end - begun))) < 1 and step - first_step < args.steps:
            rate = args.rate * min(1, (step - first_step + 1) / args.warm) * min(1, max(0.02, (1 - part) / (1 - args.hold)))
            for group in optimizer.param_groups:
                group["lr"] = rate
            total, weight = 0.0, 0.0
            for _ in range(args.accumulate):
                number, *row = next(rows)
                try:
                    loss, of = trainer.loss(*row)
                    (loss / args.accumulate / of).backward()
                except Exception as error:
                    if trainer.attention == "separate" or step > first_step:
                        raise
                    print(f"{trainer.attention} attention does not work, goes on without: {type(error).__name__} {str(error)[:500]}", flush=True)
                    trainer.attention, loss, of = "separate", torch.zeros(()), torch.ones(())
                total, weight, seen = total + loss.detach(), weight + of, seen + args.row * processes.count
            processes.mean([each.grad for each in adapter.parameters()])
            torch.nn.utils.clip_grad_norm_(adapter.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            step += 1
            if step - first_step <= 3 or step % 10 == 0:
                curve.write(f"{step},{time.time() - begun:.1f},{seen},{number},{float(total / weight):.4f},{rate:.2e}\n")
                curve.flush()
            if leads and (step - first_step in (1, 2, 3) or step % 50 == 0):
                print(f"step {step}, {time.time() - begun:.0f} s, {seen / 1e6:.1f} M tokens, {seen / (time.time() - begun):.0f}/s, pass {number}, loss {float(total / weight):.4f}", flush=True)
            if leads and time.time() - last_saved > SAVE_EVERY:
                saved(f"{args.out}/state.pt", adapter, optimizer, step)
                last_saved = time.time()
    if not leads:
        return
    saved(f"{args.out}/state.pt", adapter, optimizer, step)
    tensors = {name: each.detach().cpu().half().numpy() for name, each in adapter.named().items()}
    gguf_file.write_adapter(f"{args.out}/adapter.gguf", tensors, args.alpha, "qwen2", f"{args.teaches} for {model.name}")
    if device != "cpu":
        print(f"peak {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB")
    print(f"done: {step} steps, {seen / 1e6:.1f} M tokens, {time.time() - STARTED:.0f} s", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("data", nargs="+", help="pieces that prepare.py wrote")
    parser.add_argument("out")
    parser.add_argument("--seconds", type=float, required=True, help="in all, with reading and writing")
    parser.add_argument("--steps", type=int, default=10**9)
    parser.add_argument("--resume", help="a state to go on from")
    parser.add_argument("--teaches", default="next edits", help="for the name in the adapter; or completions")
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--alpha", type=float, default=32)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--warm", type=int, default=20, help="steps until the full rate")
    parser.add_argument("--hold", type=float, default=0.3, help="the part of the time after which the rate falls")
    parser.add_argument("--row", type=int, default=16384, help="tokens")
    parser.add_argument("--accumulate", type=int, default=2, help="rows a step")
    parser.add_argument("--attention", choices=["compiled", "flex", "separate"])
    parser.add_argument("--seed", type=int, default=1)
    main(parser.parse_args())
