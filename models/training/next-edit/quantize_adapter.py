#!/usr/bin/env python3
"""Writes an adapter of F16 or F32 as Q8_0, about half of F16's size: quantize_adapter.py ADAPTER.gguf OUT.gguf"""
import sys

import gguf_file

reader = gguf_file.Reader(sys.argv[1])
fields = reader.fields
tensors = {name: reader.tensor(name).numpy() for name in reader.tensors}
gguf_file.write_adapter(sys.argv[2], tensors, fields["adapter.lora.alpha"], fields["general.architecture"],
                        fields.get("general.name", "adapter"), gguf_file.Q8_0)
