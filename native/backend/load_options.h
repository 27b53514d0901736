// The model to load, and the backend to load it on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hearth {

struct LoadOptions {
  std::string model_path;
  // "auto": a GPU if there is one; "cpu", "hip" (AMD), "cuda", "webgpu"
  std::string backend = "auto";
  std::string gpu;                    // part of the name of the GPU to use; empty: the best one
  std::string gpu_kernels;            // folder of the GPU's code objects
  std::string variant;                // CPU variant; empty: the best
  int n_threads = 0;                  // 0: one per core, at most 8
  uint64_t cache_bytes = 0;           // memory for KV pages; 0: min(1 GiB, 10 % of RAM)
  std::string kv_type = "f16";        // or "int8", half the memory; a GPU always uses f16
  int context_tokens = 0;             // a limit; 0: limited only by the model and the cache
  std::vector<std::string> adapters;  // paths; a request names one by its number, from 1
  std::string draft_model_path;       // for speculative decoding; empty: none
  std::string disk_folder;            // of the disk cache; empty: none
  uint64_t disk_bytes = 0;            // limit of the disk cache
};

}  // namespace hearth
