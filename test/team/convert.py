# Converts the model in a GGUF file to a folder in Hugging Face's format, in bfloat16, which vLLM reads: FILE.gguf
# FOLDER
import json
import os
import sys

import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, AutoTokenizer

path, out = sys.argv[1:3]
folder, file = os.path.split(path)
os.makedirs(out, exist_ok=True)
AutoTokenizer.from_pretrained(folder, gguf_file=file).save_pretrained(out)
model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=torch.float32)

# save_pretrained() refuses a model that was loaded from GGUF.
config = model.config.to_dict()
config.pop("quantization_config", None)
config["dtype"] = "bfloat16"
config["architectures"] = ["Qwen2ForCausalLM"]
with open(os.path.join(out, "config.json"), "w") as config_file:
    json.dump(config, config_file, default=str)
weights = {name: value.to(torch.bfloat16).contiguous().clone() for name, value in model.state_dict().items()}
if config.get("tie_word_embeddings"):
    weights.pop("lm_head.weight", None)
save_file(weights, os.path.join(out, "model.safetensors"), metadata={"format": "pt"})
