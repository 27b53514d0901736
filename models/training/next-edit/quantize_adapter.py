#!/usr/bin/env python3
"""Writes an adapter of F16 or F32 as Q8_0, half of F16's size, or as Q4_0, a quarter: quantize_adapter.py ADAPTER.gguf OUT.gguf [q4_0]"""
import sys

import gguf_file

kinds = {"q8_0": gguf_file.Q8_0, "q4_0": gguf_file.Q4_0}
reader = gguf_file.Reader(sys.argv[1])
fields = reader.fields
tensors = {name: reader.tensor(name).numpy() for name in reader.tensors}
gguf_file.write_adapter(sys.argv[2], tensors, fields["adapter.lora.alpha"], fields["general.architecture"],
                        fields.get("general.name", "adapter"), kinds[(sys.argv[3:] or ["q8_0"])[0]])
