"""Writes the likeliest answers to many prompts at once, and says how likely given answers are."""
import torch
import torch.nn.functional as F

from qwen2 import separate_attention

PREFILLED = 16  # prompts at a time


class Writer:
    """Writes the likeliest answers to many prompts at once."""

    def __init__(self, model, adapter):
        self.model, self.layers, self.scale = model, adapter.layers if adapter else [None] * len(model.layers), adapter.scale if adapter else 0.0

    def run(self, x, positions, attend):
        rotation = self.model.rotation(positions)
        for number, (weights, pairs) in enumerate(zip(self.model.layers, self.layers)):
            x = self.model.layer(x, rotation, attend(number), weights, pairs, self.scale)
        return x

    def hidden(self, prompts, keep=None):
        """Of each prompt, all tokens' states. keep: takes (layer, first prompt, keys, values), each a list with one of each prompt."""
        for first in range(0, len(prompts), PREFILLED):
            some = prompts[first:first + PREFILLED]
            sizes = [len(each) for each in some]
            tokens = torch.tensor([token for each in some for token in each], device=self.model.device)
            positions = torch.cat([torch.arange(size, device=self.model.device) for size in sizes])
            separate = separate_attention(sizes)

            def attend(number):
                def kept(q, k, v):
                    if keep:
                        keep(number, first, k.split(sizes), v.split(sizes))
                    return separate(q, k, v)
                return kept
            yield from self.run(self.model.embeddings[tokens], positions, attend).split(sizes)

    def write(self, prompts, limits, stops):
        """Of each prompt, the tokens written, without the one that ends them, and the sum of the logarithms of their probabilities."""
        model, device, count = self.model, self.model.device, len(prompts)
        lengths = torch.tensor([len(each) for each in prompts], device=device)
        room = max(len(prompt) + limit for prompt, limit in zip(prompts, limits))
        keys = torch.zeros(len(model.layers), count, room, model.groups, model.width, dtype=model.dtype, device=device)
        values = torch.zeros_like(keys)

        def keep(layer, first, k, v):
            for i, (key, value) in enumerate(zip(k, v)):
                keys[layer, first + i, :len(key)], values[layer, first + i, :len(value)] = key, value
        last = model.logits(torch.stack([states[-1] for states in self.hidden(prompts, keep)]))
        numbers, stops = torch.arange(count, device=device), torch.tensor(stops, device=device)
        ended, limit, written, sums = torch.zeros(count, dtype=torch.bool, device=device), torch.tensor(limits, device=device), [], torch.zeros(count, device=device)
        for step in range(max(limits)):
            token, ended = self.choose(last), ended | (step >= limit)
            sums += torch.where(ended, 0, last.gather(1, token[:, None])[:, 0] - last.logsumexp(-1))
            ended = ended | torch.isin(token, stops)
            written.append(torch.where(ended, -1, token))
            if step % 8 == 7 and bool(ended.all()):
                break
            at = (lengths + step).clamp(max=room - 1)
            seen = torch.arange(room, device=device) <= at[:, None]

            def attend(layer):
                def cached(q, k, v):
                    keys[layer, numbers, at], values[layer, numbers, at] = k, v
                    return self.cached_attention(q, keys[layer], values[layer], seen)
                return cached
            last = model.logits(self.run(model.embeddings[token], at, attend))
        return [[token for token in row if token >= 0] for row in torch.stack(written, 1).tolist()], sums.tolist()

    def choose(self, logits):
        """The next token of each answer."""
        return logits.argmax(-1)

    def cached_attention(self, q, keys, values, seen):
        """One token of each answer: q (answers, heads, width), keys (answers, tokens, groups, width)."""
        q = q.unflatten(1, (self.model.groups, -1))
        scores = torch.einsum("agqw,atgw->agqt", q, keys).float() / self.model.width**0.5
        shares = scores.masked_fill(~seen[:, None, None], -torch.inf).softmax(-1).to(values.dtype)
        return torch.einsum("agqt,atgw->agqw", shares, values).flatten(1, 2)

    def likelihoods(self, prompts, answers):
        """Of each answer, the logarithm of each token's probability."""
        whole = [prompt + answer for prompt, answer in zip(prompts, answers)]
        for prompt, answer, states in zip(prompts, answers, self.hidden(whole)):
            logits = self.model.logits(states[len(prompt) - 1:-1])
            yield (-F.cross_entropy(logits, torch.tensor(answer, device=logits.device), reduction="none")).tolist()
