// The product of a matrix and a batch of tokens: y [part][token][row]. Grid (rows / TM, tokens / TN, parts). A workgroup computes
// a tile of TM rows by TN tokens over its part of the columns, in steps of KS groups; while it computes one step, it loads the
// next. A thread computes MM rows by MN tokens. Sums are added in the order of gemv.wgsl. matmul4.wgsl and matmul6.wgsl unpack
// the weights.
//   xq  [token][K / 16] 16 codes each
//   xd  [token][G] (scale, scale * sum of codes)
@group(0) @binding(4) var<storage, read> xq: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> xd: array<vec2<f32>>;
const NTR = TM / MM;
const NTT = TN / MN;
const W = NTR * NTT;
const TNP = TN + 1u;
const GS = G / S;  // groups per slice
const NW = (TM * KS + W - 1u) / W;
const NX = (TN * KS * 2u + W - 1u) / W;
const NS = (TM * KS / 2u + W - 1u) / W;
const NY = (TN * KS + W - 1u) / W;
var<workgroup> tw: array<vec4<u32>, 2u * KS * TM>;
var<workgroup> tx: array<vec4<u32>, 2u * KS * TNP>;
var<workgroup> sw: array<vec2<f32>, KS * TM>;
var<workgroup> sx: array<vec2<f32>, KS * TN>;
var<private> fw: array<vec4<u32>, NW>;
var<private> fh: array<vec2<u32>, NW>;
var<private> fx: array<vec4<u32>, NX>;
var<private> fs: array<u32, NS>;
var<private> fd: array<u32, NS>;
var<private> fy: array<vec2<f32>, NY>;
fn fetch(li: u32, r0: u32, t0: u32, g0: u32) {
  for (var i = 0u; i < NW; i++) {
    let e = li + i * W;
    if (TM * KS % W == 0u || e < TM * KS) {
      let row = r0 + e % TM;
      let g = g0 + e / TM;
      fetch_codes(i, row / 8u, row % 8u, g);
    }
  }
  for (var i = 0u; i < NS; i++) {
    let e = li + i * W;
    if (TM * KS / 2u % W == 0u || e < TM * KS / 2u) {
      let row = r0 + e % TM;
      let p = g0 / 2u + e / TM;
      fetch_scales(i, row / 8u, row % 8u, p);
    }
  }
  for (var i = 0u; i < NX; i++) {
    let e = li + i * W;
    if (TN * KS * 2u % W == 0u || e < TN * KS * 2u) {
      let t = min(t0 + e / (2u * KS), params.n - 1u);
      fx[i] = xq[t * (K / 16u) + 2u * g0 + e % (2u * KS)];
    }
  }
  for (var i = 0u; i < NY; i++) {
    let e = li + i * W;
    if (TN * KS % W == 0u || e < TN * KS) {
      let t = min(t0 + e / KS, params.n - 1u);
      fy[i] = xd[t * G + g0 + e % KS];
    }
  }
}
fn store(li: u32) {
  for (var i = 0u; i < NW; i++) {
    let e = li + i * W;
    if (TM * KS % W == 0u || e < TM * KS) {
      let q = unpack(i);
      let g = e / TM;
      tw[2u * g * TM + e % TM] = q.a;
      tw[(2u * g + 1u) * TM + e % TM] = q.b;
    }
  }
  for (var i = 0u; i < NS; i++) {
    let e = li + i * W;
    if (TM * KS / 2u % W == 0u || e < TM * KS / 2u) {
      let p = e / TM;
      sw[2u * p * TM + e % TM] = scale_of(i, 0u);
      sw[(2u * p + 1u) * TM + e % TM] = scale_of(i, 1u);
    }
  }
  for (var i = 0u; i < NX; i++) {
    let e = li + i * W;
    if (TN * KS * 2u % W == 0u || e < TN * KS * 2u) { tx[(e % (2u * KS)) * TNP + e / (2u * KS)] = fx[i]; }
  }
  for (var i = 0u; i < NY; i++) {
    let e = li + i * W;
    if (TN * KS % W == 0u || e < TN * KS) { sx[(e % KS) * TN + e / KS] = fy[i]; }
  }
}
@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let r0 = wid.x * TM;
  let t0 = wid.y * TN;
  let tr = li % NTR;
  let tt = li / NTR;
  let rb = (tr / 8u) * 16u + tr % 8u;
  var acc: array<array<f32, MN>, MM>;
  var sum: array<array<f32, MN>, MM>;
  for (var i = 0u; i < MM; i++) {
    for (var j = 0u; j < MN; j++) {
      acc[i][j] = 0f;
      sum[i][j] = 0f;
    }
  }
  let g0 = wid.z * (G / SS);
  let g1 = g0 + G / SS;
  fetch(li, r0, t0, g0);
  for (var g = g0; g < g1; g += KS) {
    store(li);
    workgroupBarrier();
    if (g + KS < g1) { fetch(li, r0, t0, g + KS); }
    for (var h = 0u; h < KS; h++) {
      var xa: array<vec4<u32>, MN>;
      var xb: array<vec4<u32>, MN>;
      var dx: array<vec2<f32>, MN>;
      for (var j = 0u; j < MN; j++) {
        let t = tt + j * NTT;
        xa[j] = tx[2u * h * TNP + t];
        xb[j] = tx[(2u * h + 1u) * TNP + t];
        dx[j] = sx[h * TN + t];
      }
      for (var i = 0u; i < MM; i++) {
        let row = rb + (i % 2u) * 8u + (i / 2u) * (NTR * 2u);
        let a = tw[2u * h * TM + row];
        let b = tw[(2u * h + 1u) * TM + row];
        let d = sw[h * TM + row];
        for (var j = 0u; j < MN; j++) { acc[i][j] = add(acc[i][j], dots(a, b, xa[j], xb[j], d), d, dx[j]); }
      }
      if ((GS % KS != 0u || h == KS - 1u) && (g + h + 1u) % GS == 0u) {
        for (var i = 0u; i < MM; i++) {
          for (var j = 0u; j < MN; j++) {
            sum[i][j] += acc[i][j];
            acc[i][j] = 0f;
          }
        }
      }
    }
    workgroupBarrier();
  }
  for (var j = 0u; j < MN; j++) {
    let t = t0 + tt + j * NTT;
    if (t < params.n) {
      for (var i = 0u; i < MM; i += 2u) {
        finish(wid.z, t, r0 + rb + (i / 2u) * (NTR * 2u), sum[i][j], sum[i + 1u][j]);
      }
    }
  }
}
