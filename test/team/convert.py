import sys, os
import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, AutoTokenizer
folder, file, out = os.path.dirname(sys.argv[1]), os.path.basename(sys.argv[1]), sys.argv[2]
os.makedirs(out, exist_ok=True)
tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=file)
model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=torch.float32)
tokenizer.save_pretrained(out)
config = model.config.to_dict()
config.pop("quantization_config", None)
import json
config["torch_dtype"] = config["dtype"] = "bfloat16"
config["architectures"] = ["Qwen2ForCausalLM"]
json.dump(config, open(os.path.join(out, "config.json"), "w"), indent=1, default=str)
weights = {name: value.to(torch.bfloat16).contiguous().clone() for name, value in model.state_dict().items()}
if config.get("tie_word_embeddings"): weights.pop("lm_head.weight", None)
save_file(weights, os.path.join(out, "model.safetensors"), metadata={"format": "pt"})
print(tokenizer.encode("<|fim_prefix|>def add(a, b):\n    return a<|fim_suffix|>\n<|fim_middle|>"))
