// The values to quantize are x [token][K] * norm [K]. The RMS norm's factor is applied later, to the product's results.
@group(0) @binding(4) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> norm: array<vec4<f32>>;
fn values(e: u32, token: u32, v: ptr<function, array<vec4<f32>, 4>>) -> f32 {
  var ss = 0f;
  for (var i = 0u; i < 4u; i++) {
    let a = x[token * (K / 4u) + 4u * e + i];
    (*v)[i] = a * norm[4u * e + i];
    ss = fma(a.x, a.x, ss);
    ss = fma(a.y, a.y, ss);
    ss = fma(a.z, a.z, ss);
    ss = fma(a.w, a.w, ss);
  }
  return ss;
}
fn factor() -> f32 {
  var s = 0f;
  for (var i = 0u; i < (E + 7u) / 8u; i++) { s += xss8[i]; }
  return 1f / sqrt(fma(s, 1f / f32(K), EPS));
}
