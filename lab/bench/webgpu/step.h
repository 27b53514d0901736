// Makes the launches of a decode step and of a prompt.
#pragma once
#include "model.h"
#include "timing.h"

/// How a product with one token is divided among workgroups: rows per workgroup (RT), slices of the
/// columns (S) and, for the head, tiles of RT rows per workgroup (NT). See kernels/gemv.wgsl.
struct Gemv {
  int RT, S, NT = 1;
};
/// How a product with a batch is divided among workgroups and threads: see kernels/matmul.wgsl.
struct Tile {
  int TM, TN, MM, MN, KS;
};
extern Gemv gemv_of[kShapes];
extern Tile tile_of[2][kShapes];  // [0]: for up to 64 tokens, [1]: for more
extern int attn_rows, attn_rows_batch;

/// Divides n workgroups among the first two dimensions of a dispatch, since each has a maximum.
std::pair<u32, u32> grid(long n);
vector<Bind> weights(const PackedMatrix& m);
vector<Bind> operator+(vector<Bind> a, const vector<Bind>& b);
/// The pipeline for these files and constants. It is made at the first call.
WGPUComputePipeline cached(const string& files, const Consts& c);
/// Whether the kernels support this division of product s, and the GPU has enough threads for it.
bool fits(int s, Gemv g);
Launch gemv_launch(int s, int l, Gemv g);
Launch embed(int n);
Launch attention(int l, int n, int parts, int NR);
Launch mm(const char* name, int s, const PackedMatrix& m, int row0, WGPUBuffer in, WGPUBuffer ind,
          WGPUBuffer out, int n, Tile t, bool silu, WGPUBuffer factors = nullptr);
void push_mm(vector<Launch>& r, int s, int l, int n, Tile t);

vector<Launch> decode_list(int parts);
vector<Launch> batch_list(int n, int start);

void set_params(u32 n, u32 start);
vector<u32> token_ids(int n);
void clear_kv();
void run_batch(const vector<Launch>& ls, int n, int start, const u32* ids);
