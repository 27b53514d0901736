// put_qkv.wgsl for a batch. Its input is the product's parts, sums [PARTS][token][R], and the RMS norms' factors [token].
@group(0) @binding(4) var<storage, read> sums: array<f32>;
@group(0) @binding(5) var<storage, read> factors: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let token = wid.y;
  let pair = wid.x * 64u + li;
  let block = pair / 8u;
  let r = pair % 8u;
  let row = token * R + block * 16u + r;
  var t = vec2<f32>(0f);
  for (var j = 0u; j < PARTS; j++) {
    let at = j * (params.n * R) + row;
    t += vec2<f32>(sums[at], sums[at + 8u]);
  }
  put_qkv(block, r, token, t * factors[token]);
}
