// The product of a matrix and a batch: y [token][row] = the product or, if ADD is 1, y += params.scale * the product. It has the
// same bits as with gemv.wgsl. Grid (rows / TM, tokens / TN). A workgroup computes a tile of TM rows by TN tokens, in steps of KS
// groups; while it computes one step, it loads the next. A thread computes MM rows by MN tokens.
@group(0) @binding(10) var<storage, read_write> y: array<f32>;
const NTR = TM / MM;
const NTT = TN / MN;
const W = NTR * NTT;
const TNP = TN + 1u;
const NW = (TM * KS + W - 1u) / W;
const NX = (TN * KS * 2u + W - 1u) / W;
const NY = (TN * KS + W - 1u) / W;
var<workgroup> tile_a: array<vec4<u32>, KS * TM>;
var<workgroup> tile_b: array<vec4<u32>, KS * TM>;
var<workgroup> tile_scales: array<Scales, KS * TM>;
var<workgroup> token_codes: array<vec4<u32>, 2u * KS * TNP>;
var<workgroup> token_scales: array<GroupScale, KS * TN>;
var<private> next_weights: array<Raw, NW>;
var<private> next_codes: array<vec4<u32>, NX>;
var<private> next_scales: array<GroupScale, NY>;
fn fetch(li: u32, r0: u32, t0: u32, g0: u32) {
  for (var i = 0u; i < NW; i++) {
    let e = li + i * W;
    if (e < TM * KS) { next_weights[i] = load_raw((r0 + e % TM) / 8u, e % 8u, g0 + e / TM); }
  }
  for (var i = 0u; i < NX; i++) {
    let e = li + i * W;
    if (e < TN * KS * 2u) { next_codes[i] = codes_at(min(t0 + e / (2u * KS), params.n - 1u), 2u * g0 + e % (2u * KS)); }
  }
  for (var i = 0u; i < NY; i++) {
    let e = li + i * W;
    if (e < TN * KS) { next_scales[i] = scale_at(min(t0 + e / KS, params.n - 1u), g0 + e % KS); }
  }
}
fn store(li: u32) {
  for (var i = 0u; i < NW; i++) {
    let e = li + i * W;
    if (e < TM * KS) {
      let c = codes_of(next_weights[i]);
      tile_a[e] = c.a;
      tile_b[e] = c.b;
      tile_scales[e] = scales_of(next_weights[i]);
    }
  }
  for (var i = 0u; i < NX; i++) {
    let e = li + i * W;
    if (e < TN * KS * 2u) { token_codes[(e % (2u * KS)) * TNP + e / (2u * KS)] = next_codes[i]; }
  }
  for (var i = 0u; i < NY; i++) {
    let e = li + i * W;
    if (e < TN * KS) { token_scales[(e % KS) * TN + e / KS] = next_scales[i]; }
  }
}
@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let r0 = wid.x * TM;
  let t0 = wid.y * TN;
  let tr = li % NTR;
  let tt = li / NTR;
  var slice: array<array<f32, MN>, MM>;
  var sum: array<array<f32, MN>, MM>;
  for (var i = 0u; i < MM; i++) {
    for (var j = 0u; j < MN; j++) {
      slice[i][j] = params.zero;
      sum[i][j] = 0f;
    }
  }
  fetch(li, r0, t0, 0u);
  for (var g = 0u; g < G; g += KS) {
    store(li);
    workgroupBarrier();
    if (g + KS < G) { fetch(li, r0, t0, g + KS); }
    for (var h = 0u; h < KS; h++) {
      var xa: array<vec4<u32>, MN>;
      var xb: array<vec4<u32>, MN>;
      var dx: array<GroupScale, MN>;
      for (var j = 0u; j < MN; j++) {
        let t = tt + j * NTT;
        xa[j] = token_codes[2u * h * TNP + t];
        xb[j] = token_codes[(2u * h + 1u) * TNP + t];
        dx[j] = token_scales[h * TN + t];
      }
      for (var i = 0u; i < MM; i++) {
        let e = h * TM + tr + i * NTR;
        let a = tile_a[e];
        let b = tile_b[e];
        let z = tile_scales[e];
        for (var j = 0u; j < MN; j++) {
          slice[i][j] = add_group(slice[i][j], z, dot16(a, xa[j]), dot16(b, xb[j]), dx[j]);
        }
      }
      if ((g + h + 1u) % GS == 0u || g + h + 1u == G) {
        for (var i = 0u; i < MM; i++) {
          for (var j = 0u; j < MN; j++) {
            sum[i][j] += slice[i][j];
            slice[i][j] = params.zero;
          }
        }
      }
    }
    workgroupBarrier();
  }
  for (var j = 0u; j < MN; j++) {
    let t = t0 + tt + j * NTT;
    for (var i = 0u; i < MM; i++) {
      let row = r0 + tr + i * NTR;
      if (t < params.n && row < params.n_rows) {
        let to = params.y0 + t * params.stride + row;
        if (ADD == 1u) { y[to] = fma(params.scale, sum[i][j], y[to]); } else { y[to] = sum[i][j]; }
      }
    }
  }
}
