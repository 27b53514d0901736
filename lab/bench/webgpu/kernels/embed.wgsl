// x [token][K] = the table's row for the token, Q6_K, as floats: one workgroup per token, one thread per group of 32 columns.
@group(0) @binding(4) var<storage, read> tokens: array<u32>;
@group(0) @binding(8) var<storage, read_write> x: array<vec4<f32>>;
@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) g: u32) {
  if (g >= G) { return; }
  let row = tokens[wid.x];
  let tile = row / 8u;
  let l = row % 8u;
  let pair = (tile * P + g / 2u) * 8u + l;
  let u = w6[H6 + pair];
  let q = q6_unpack(w6[(tile * G + g) * 8u + l], select(u.xy, u.zw, (g & 1u) == 1u));
  let d = 0.25 * unpack2x16float(s6[D6 + (tile * B + g / 8u) * 8u + l]).x;
  let s = s6[pair];
  let da = d * f32(int8_of(s, 2u * (g & 1u)));
  let db = d * f32(int8_of(s, 2u * (g & 1u) + 1u));
  let at = wid.x * (K / 4u) + 8u * g;
  for (var i = 0u; i < 4u; i++) {
    x[at + i] = vec4<f32>(unpack4xI8(q.a[i])) * da;
    x[at + 4u + i] = vec4<f32>(unpack4xI8(q.b[i])) * db;
  }
}
