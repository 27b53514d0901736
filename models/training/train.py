#!/usr/bin/env python3
"""Step 5: trains, on one GPU or several of one host.

    torchrun --nproc_per_node=4 train.py DATA TOKENIZER OUT --seconds 1500 [--resume STATE]

Muon for the matrices, Adam for the rest. The schedule goes by the clock: warm-up, constant rate, linear cool-down in
which the weights move onto the file's quantized values. OUT/deadline (seconds since 1970), if it is there, says when
training must be over. Writes OUT/log.jsonl, OUT/state.pt every two minutes, OUT/stable.pt when the constant rate ends
(what a later run resumes from) and, at the end, OUT/done.json.
"""
import argparse
import json
import math
import multiprocessing as mp
import os
import sys
import time

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
import data

parser = argparse.ArgumentParser()
parser.add_argument("data")
parser.add_argument("tokenizer")
parser.add_argument("out")
parser.add_argument("--seconds", type=float, default=1500)
parser.add_argument("--config", default=here + "/config.json")
parser.add_argument("--workers", type=int, default=14, help="processes that make rows, for each GPU")
parser.add_argument("--resume", default="", help="a state: weights, and moments if it has them; or a model file (.gguf), of which the weights are taken")
parser.add_argument("--steps", type=int, default=10**9)
parser.add_argument("--seed", type=int, default=0, help="another one for each run that resumes, so that it sees the data in another order")
parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="in place of the configuration's; hold=1 keeps the rate constant")
parser.add_argument("--save-every", type=float, default=120, help="seconds")
args = parser.parse_args()
rank, world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))

if __name__ == "__main__":
    fork = mp.get_context("fork")
    queue, late = fork.Queue(maxsize=100), fork.Value("i", 0)
    workers = [fork.Process(target=data.worker, args=(rank * args.workers + i, world * args.workers, args.data, args.tokenizer, queue, late, args.seed), daemon=True)
               for i in range(args.workers)]
    for process in workers:
        process.start()

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F

from export import load_state
from model import MATRICES, Qwen2

with open(args.config) as source:
    config = json.load(source)
for name, value in (item.split("=") for item in args.set):
    config[name] = type(config[name])(value)
on_gpu = torch.cuda.is_available()
device = f"cuda:{int(os.environ.get('LOCAL_RANK', 0))}" if on_gpu else "cpu"
if on_gpu:
    torch.cuda.set_device(device)
if world > 1:
    dist.init_process_group("cpu:gloo,cuda:nccl" if on_gpu else "gloo")
torch.manual_seed(0)
torch.set_float32_matmul_precision("high")
model = Qwen2(config).to(device)
state = load_state(args.resume, config, device) if args.resume else {}
if state:
    model.load_state_dict({name: value.float() for name, value in state["weights"].items()})
accumulate = max(1, config["batch_rows"] // (config["rows"] * world))
length = data.ROW


def say(*words):
    if rank == 0:
        print(*words, flush=True)


say("parameters", sum(p.numel() for p in model.parameters()) / 1e6, "M; GPUs", world, "accumulate", accumulate)


def document_attention(tokens):
    """Attention within a document; one ends with its end-of-text token."""
    if not on_gpu:
        return None
    from torch.nn.attention.flex_attention import BlockMask, flex_attention

    size = 128
    blocks = length // size
    ends = (tokens == data.END).int()
    document = (ends.cumsum(1) - ends).int()

    def allowed(b, h, q, k):
        return (q >= k) & (document[b, q] == document[b, k])

    grouped = document.view(-1, blocks, size)
    first, last = grouped[..., 0], grouped[..., -1]
    at = torch.arange(blocks, device=tokens.device)
    touched = (at[:, None] >= at[None]) & (last[:, None, :] >= first[:, :, None])
    whole = (at[:, None] > at[None]) & (first[:, None, :] == last[:, :, None])

    def indices(dense):
        return dense.sum(-1, dtype=torch.int32)[:, None].contiguous(), torch.argsort(dense.int(), dim=-1, descending=True, stable=True).int()[:, None].contiguous()

    mask = BlockMask.from_kv_blocks(*indices(touched & ~whole), *indices(whole), BLOCK_SIZE=size, mask_mod=allowed)
    return lambda q, k, v: flex_attention(q, k, v, block_mask=mask, enable_gqa=True)


def losses(marked, quantized):
    """Weighted mean over a batch of marked rows; and, apart, the mean over targets and over the rest, without context."""
    tokens, kind = marked & (data.TARGET - 1), marked[:, 1:] & data.SILENCE
    logits = model(tokens, document_attention(tokens), quantized)
    wanted = torch.where(kind == data.SILENCE, data.END, tokens[:, 1:])
    each = F.cross_entropy(logits.float().view(-1, logits.shape[-1]), F.pad(wanted, (0, 1)).reshape(-1), reduction="none").view(tokens.shape)[:, :-1]
    is_within = (tokens[:, :-1] != data.END).float()
    is_target = is_within * ((kind == data.TARGET) | (kind == data.SILENCE))
    is_context = is_within * (kind == data.CONTEXT)
    others = is_within - is_target - is_context
    weight = others + config["target_weight"] * is_target + config["context_weight"] * is_context
    with torch.no_grad():
        apart = torch.stack(((each * is_target).sum() / is_target.sum().clamp(1), (each * others).sum() / others.sum().clamp(1)))
    return (each * weight).sum() / weight.sum(), apart


compiled = torch.compile(losses, dynamic=False) if on_gpu else losses
matrices = [getattr(model, name) for name in MATRICES]
rest = [value for name, value in model.named_parameters() if name not in MATRICES]
adam = torch.optim.AdamW(rest, lr=1e-3, betas=(0.9, 0.95), eps=1e-10, weight_decay=0, fused=on_gpu)
moments = [torch.zeros_like(matrix) for matrix in matrices]
if "moments" in state:
    for moment, saved in zip(moments, state["moments"]):
        moment.copy_(saved)


def orthogonal(gradient, a=3.4445, b=-4.7750, c=2.0315):
    x = gradient.bfloat16()
    is_tall = x.size(-2) > x.size(-1)
    x = x.mT if is_tall else x
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(5):
        s = x @ x.mT
        x = a * x + (b * s + c * s @ s) @ x
    return x.mT if is_tall else x


@torch.no_grad()
def muon(rate):
    for matrix, moment in zip(matrices, moments):
        moment.lerp_(matrix.grad, 0.05)
        update = orthogonal(matrix.grad.lerp(moment, 0.95))
        matrix.mul_(1 - rate * config["decay"]).add_(update.to(matrix.dtype), alpha=-rate * 0.2 * math.sqrt(max(matrix.shape[-2:])))


parameters = list(model.parameters())
shared = torch.empty(sum(p.numel() for p in parameters), dtype=torch.bfloat16, device=device) if world > 1 else None
views = [part.view(p.shape) for part, p in zip(shared.split([p.numel() for p in parameters]), parameters)] if world > 1 else []


@torch.no_grad()
def average_gradients():
    if world == 1:
        return
    torch._foreach_copy_(views, [p.grad for p in parameters])
    dist.all_reduce(shared)
    shared.div_(world)
    torch._foreach_copy_([p.grad for p in parameters], views)


def batch():
    parts, passes = [], 0
    while sum(map(len, parts)) < config["rows"]:
        passes, part = queue.get()
        parts.append(part)
    rows = torch.from_numpy(np.concatenate(parts)[: config["rows"]].astype(np.int64))
    return (rows.pin_memory().to(device, non_blocking=True) if on_gpu else rows), passes


def save(name="state"):
    if rank == 0:
        weights = {key: value.detach().cpu() for key, value in model.state_dict().items()}
        torch.save({"weights": weights, "moments": [moment.to(torch.bfloat16).cpu() for moment in moments], "step": step, "tokens": seen}, f"{args.out}/{name}.tmp")
        os.replace(f"{args.out}/{name}.tmp", f"{args.out}/{name}.pt")


def fraction(begin):
    """How much of the time has gone by: the first process's clock decides for all."""
    seconds = args.seconds
    if rank == 0 and begin:
        try:
            with open(args.out + "/deadline") as source:
                seconds = float(source.read()) - begin
        except (OSError, ValueError):
            pass
    gone = torch.tensor([(time.time() - begin) / seconds if begin else 0.0], dtype=torch.float64)
    if world > 1:
        dist.broadcast(gone, 0)
    return float(gone)


os.makedirs(args.out, exist_ok=True)
quantized = torch.zeros((), device=device)
begin, step, seen, recent, saved, is_stable = 0.0, 0, 0, [], time.time(), True
while step < args.steps:
    if step == 5:
        if on_gpu:
            torch.cuda.synchronize()
        begin = time.time()
        seen = 0
    gone = fraction(begin)
    if gone >= 1:
        break
    if is_stable and gone >= config["hold"]:
        is_stable = False
        save("stable")
    late.value = int(gone >= config["late_from"])
    share = min(1, (step + 1) / config["warm_steps"]) * (1 if gone < config["hold"] else max(config["last_lr"], (1 - gone) / (1 - config["hold"])))
    quantized.fill_(min(1.0, max(0.0, (gone - config["quantize_from"]) / config["quantize_ramp"])))
    for _ in range(accumulate):
        rows, passes = batch()
        loss, apart = compiled(rows, quantized)
        (loss / accumulate).backward()
        recent.append(apart)
        seen += rows.numel() * world
    average_gradients()
    rate = config["lr"] * share
    for group in adam.param_groups:
        group["lr"] = rate * config["adam_share"]
    muon(rate)
    adam.step()
    for p in parameters:
        p.grad = None
    step += 1
    # The host must not run far ahead of the GPU: what is submitted when time is up has to end before the last state is saved.
    if on_gpu and step % 4 == 0:
        torch.cuda.synchronize()
    if step <= 5 or step % 50 == 0:
        target, other = torch.stack(recent).mean(0).tolist()
        recent = []
        row = dict(step=step, target=round(target, 4), other=round(other, 4), lr=round(rate, 6), tokens=seen, gone=round(gone, 4), quantized=round(float(quantized), 3),
                   speed=round(seen / max(1e-9, time.time() - begin)) if begin else 0, queue=queue.qsize(), passes=passes)
        say(json.dumps(row))
        if rank == 0:
            with open(args.out + "/log.jsonl", "a") as log:
                log.write(json.dumps(row) + "\n")
    if step % 1000 == 0 and world > 1:
        for p in parameters:
            dist.broadcast(p.data, 0)
    if rank == 0 and time.time() - saved > args.save_every:
        save()
        saved = time.time()
save()
if on_gpu:
    say("peak GB", torch.cuda.max_memory_allocated() / 1e9)
if rank == 0:
    with open(args.out + "/done.json", "w") as out:
        json.dump(dict(steps=step, tokens=seen, seconds=time.time() - begin, gpus=world, config=config), out)
say("DONE", step, seen)
for process in workers:
    process.kill()
os._exit(0)
