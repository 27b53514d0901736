// Quantizes 16 columns to int8. amax: the greatest absolute value in their group of 32.
struct Quantized{codes: vec4<u32>, sum: i32} fn quantize16(v: array<vec4<f32>, 4>, amax: f32) -> Quantized {
  let k = select(0f, 127f / amax, amax > 0f);
  var r: Quantized;
  r.sum = 0;
  for (var i = 0u; i < 4u; i++) {
    let q = vec4<i32>(round(v[i] * k));
    r.codes[i] = pack4xI8(q);
    r.sum += q.x + q.y + q.z + q.w;
  }
  return r;
}
fn amax16(v: array<vec4<f32>, 4>) -> f32 {
  let m = max(max(abs(v[0]), abs(v[1])), max(abs(v[2]), abs(v[3])));
  return max(max(m.x, m.y), max(m.z, m.w));
}
