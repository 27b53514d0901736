"""Reads the tensors and the vocabulary of a model file, and writes adapters as llama.cpp reads them."""
import mmap
import struct

import numpy as np
import torch

SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9
F32, F16, Q4_0, Q8_0 = 0, 1, 2, 8
# Of each type: how many values a block has, and its bytes.
BLOCKS = {F32: (1, 4), F16: (1, 2), 6: (32, 22), 8: (32, 34), 12: (256, 144), 14: (256, 210)}
ALIGNMENT = 32


class Reader:
    def __init__(self, path):
        with open(path, "rb") as source:
            self.data = mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ)
        self.at = 8
        count, fields = self.scalar(11), self.scalar(11)
        self.fields = {self.string(): self.value(self.scalar(5)) for _ in range(fields)}
        self.tensors = {}
        for _ in range(count):
            name = self.string()
            shape = [self.scalar(11) for _ in range(self.scalar(4))][::-1]
            self.tensors[name] = (shape, self.scalar(4), self.scalar(10))
        alignment = self.fields.get("general.alignment", ALIGNMENT)
        self.begin = -(-self.at // alignment) * alignment

    def scalar(self, kind):
        code = "<" + SCALARS[kind]
        value, = struct.unpack_from(code, self.data, self.at)
        self.at += struct.calcsize(code)
        return value

    def string(self):
        size = self.scalar(10)
        self.at += size
        return self.data[self.at - size:self.at].decode("utf8")

    def value(self, kind):
        if kind == STRING:
            return self.string()
        if kind == ARRAY:
            of, size = self.scalar(4), self.scalar(10)
            return [self.value(of) for _ in range(size)]
        return self.scalar(kind)

    def tensor(self, name, device="cpu", dtype=torch.float32):
        shape, kind, offset = self.tensors[name]
        values, size = BLOCKS[kind]
        count = int(np.prod(shape)) // values
        raw = np.frombuffer(self.data, np.uint8, count * size, self.begin + offset)
        return dequantized(torch.from_numpy(raw.copy()).to(device).view(count, size), kind).to(dtype).view(shape)


def halves(blocks, begin, end):
    return blocks[:, begin:end].contiguous().view(torch.float16).float()


def dequantized(blocks, kind):
    """Blocks of bytes, one a row, as rows of F32 values."""
    if kind == F32:
        return blocks.contiguous().view(torch.float32)
    if kind == F16:
        return blocks.contiguous().view(torch.float16).float()
    return {6: q5_0, 8: q8_0, 12: q4_k, 14: q6_k}[kind](blocks)


def q5_0(blocks):
    high = blocks[:, 2:6].contiguous().view(torch.int32)
    fifth = (high >> torch.arange(32, device=blocks.device)) & 1
    low = torch.cat([blocks[:, 6:] & 15, blocks[:, 6:] >> 4], 1)
    return halves(blocks, 0, 2) * ((low.int() | fifth << 4) - 16)


def q8_0(blocks):
    return halves(blocks, 0, 2) * blocks[:, 2:].contiguous().view(torch.int8)


def q4_k(blocks):
    scale, least = halves(blocks, 0, 2), halves(blocks, 2, 4)
    first, second, third = blocks[:, 4:8], blocks[:, 8:12], blocks[:, 12:16]
    scales = torch.cat([first & 63, third & 15 | first >> 6 << 4], 1)
    leasts = torch.cat([second & 63, third >> 4 | second >> 6 << 4], 1)
    packed = blocks[:, 16:].view(-1, 4, 1, 32)
    values = torch.cat([packed & 15, packed >> 4], 2).view(-1, 8, 32)
    return ((scale * scales)[..., None] * values - (least * leasts)[..., None]).view(-1, 256)


def q6_k(blocks):
    low = blocks[:, :128].view(-1, 2, 1, 64)
    low = torch.cat([low & 15, low >> 4], 2).view(-1, 2, 4, 32)
    high = blocks[:, 128:192].view(-1, 2, 1, 32)
    high = torch.cat([high >> shift & 3 for shift in (0, 2, 4, 6)], 2)
    values = ((low | high << 4).int() - 32).view(-1, 16, 16)
    scales = halves(blocks, 208, 210) * blocks[:, 192:208].contiguous().view(torch.int8)
    return (scales[..., None] * values).view(-1, 256)


def byte_of_character():
    """The characters that a byte-level vocabulary writes bytes with."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + i): byte for i, byte in enumerate(others)}


def token_bytes(fields):
    """What each token stands for."""
    bytes_of = byte_of_character()
    return [bytes(bytes_of[character] for character in token) if all(character in bytes_of for character in token) else token.encode()
            for token in fields["tokenizer.ggml.tokens"]]


def as_q8_0(array):
    """Blocks of 32 values: their greatest over 127 as F16, and 32 int8."""
    blocks = np.ascontiguousarray(array, np.float32).reshape(-1, 32)
    scales = (np.abs(blocks).max(1, keepdims=True) / 127).astype(np.float16)
    steps = np.where(scales > 0, scales, 1).astype(np.float32)
    values = np.rint(blocks / steps).clip(-127, 127).astype(np.int8)
    return np.concatenate([scales.view(np.uint8), values.view(np.uint8)], 1).tobytes()


def as_q4_0(array):
    """Blocks of 32 values: the one of greatest magnitude over -8 as F16, and 16 bytes, the first 16 values in their low halves."""
    blocks = np.ascontiguousarray(array, np.float32).reshape(-1, 32)
    greatest = np.take_along_axis(blocks, np.abs(blocks).argmax(1, keepdims=True), 1)
    scales = (greatest / -8).astype(np.float16)
    steps = np.where(scales != 0, scales, 1).astype(np.float32)
    values = np.floor(blocks / steps + 8.5).clip(0, 15).astype(np.uint8)
    return np.concatenate([scales.view(np.uint8), values[:, :16] | values[:, 16:] << 4], 1).tobytes()


def encoded(name, array, kind):
    """Name, array and bytes of a tensor. B by columns, which llama.cpp does not read, where its rows are shorter than a block."""
    if kind == F16:
        return name, array, np.ascontiguousarray(array, np.float16).tobytes()
    if array.shape[1] % 32:
        name, array = name.removesuffix(".lora_b") + ".lora_bt", array.T
    return name, array, as_q4_0(array) if kind == Q4_0 else as_q8_0(array)


def write_adapter(path, tensors, alpha, architecture, name, kind=F16):
    """tensors: name to array; NAME.lora_a of shape (rank, in) and NAME.lora_b of shape (out, rank). kind: F16, Q8_0 or Q4_0."""
    def text(value):
        return struct.pack("<Q", len(value.encode())) + value.encode()

    def field(key, value):
        return text(key) + (struct.pack("<If", 6, value) if isinstance(value, float) else struct.pack("<I", STRING) + text(value))
    fields = {"general.architecture": architecture, "general.type": "adapter", "general.name": name, "adapter.type": "lora", "adapter.lora.alpha": float(alpha)}
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(fields)) + b"".join(field(*each) for each in fields.items())
    at, body = 0, []
    for key, array, data in (encoded(*tensor, kind) for tensor in tensors.items()):
        head += text(key) + struct.pack("<I", array.ndim) + struct.pack(f"<{array.ndim}Q", *array.shape[::-1]) + struct.pack("<IQ", kind, at)
        data += bytes(-len(data) % ALIGNMENT)
        body.append(data)
        at += len(data)
    with open(path, "wb") as target:
        target.write(head + bytes(-len(head) % ALIGNMENT) + b"".join(body))
