#include "reference.h"

#include <algorithm>
#include <cmath>

void quant(const vector<double>& in, vector<double>& out) {
  out.resize(in.size());
  for (size_t g = 0; g < in.size(); g += 32) {
    double a = 0;
    for (int i = 0; i < 32; i++) a = std::max(a, std::fabs(in[g + i]));
    for (int i = 0; i < 32; i++)
      out[g + i] = a > 0 ? std::nearbyint(in[g + i] * 127 / a) * a / 127 : 0;
  }
}
vector<double> product(const vector<float>& w, const vector<double>& in) {
  size_t K = in.size(), R = w.size() / K;
  vector<double> y(R);
  for (size_t r = 0; r < R; r++) {
    double s = 0;
    for (size_t k = 0; k < K; k++) s += w[r * K + k] * in[k];
    y[r] = s;
  }
  return y;
}
vector<double> normed(const vector<double>& x) {
  double ss = 0;
  for (double v : x) ss += v * v;
  double f = 1 / std::sqrt(ss / x.size() + model.eps);
  vector<double> a(x.size()), r;
  for (size_t i = 0; i < x.size(); i++) a[i] = x[i] * norm_values[i];
  quant(a, r);
  for (double& v : r) v *= f;
  return r;
}
vector<vector<double>> reference(const vector<u32>& ids) {
  vector<vector<double>> out;
  int per = model.heads / model.kv;
  vector<vector<vector<double>>> kc(model.layers), vc(model.layers);
  for (size_t p = 0; p < ids.size(); p++) {
    vector<double> x(model.hidden), t;
    for (int i = 0; i < model.hidden; i++) x[i] = dense_head[size_t(ids[p]) * model.hidden + i];
    for (int l = 0; l < model.layers; l++) {
      vector<double> y = product(dense_layers[l].qkv, normed(x)), k(model.kv * 128),
                     v(model.kv * 128), qq(model.heads * 128), att(model.heads * 128);
      for (int b = 0; b < (model.heads + 2 * model.kv) * 8; b++)
        for (int r = 0; r < 8; r++) {
          int h = b / 8, i = (b % 8) * 8 + r;
          double a0 = y[b * 16 + r] + bias_values[b * 16 + r],
                 a1 = y[b * 16 + r + 8] + bias_values[b * 16 + r + 8],
                 c = rope_values[(p * 64 + i) * 2], s = rope_values[(p * 64 + i) * 2 + 1];
          double t0 = a0 * c - a1 * s, t1 = a0 * s + a1 * c;
          if (h < model.heads) {
            qq[h * 128 + i] = t0;
            qq[h * 128 + i + 64] = t1;
          } else if (h < model.heads + model.kv) {
            k[(h - model.heads) * 128 + i] = unhalf(half(t0));
            k[(h - model.heads) * 128 + i + 64] = unhalf(half(t1));
          } else {
            v[(h - model.heads - model.kv) * 128 + i] = unhalf(half(a0));
            v[(h - model.heads - model.kv) * 128 + i + 64] = unhalf(half(a1));
          }
        }
      kc[l].push_back(k);
      vc[l].push_back(v);
      for (int h = 0; h < model.heads; h++) {
        int g = h / per;
        vector<double> s(p + 1);
        double m = -1e300, z = 0;
        for (size_t j = 0; j <= p; j++) {
          double a = 0;
          for (int i = 0; i < 128; i++) a += qq[h * 128 + i] * kc[l][j][g * 128 + i];
          s[j] = a / std::sqrt(128.0);
          m = std::max(m, s[j]);
        }
        for (auto& e : s) {
          e = std::exp(e - m);
          z += e;
        }
        for (int i = 0; i < 128; i++) {
          double a = 0;
          for (size_t j = 0; j <= p; j++) a += s[j] * vc[l][j][g * 128 + i];
          att[h * 128 + i] = a / z;
        }
      }
      quant(att, t);
      y = product(dense_layers[l].o, t);
      for (int i = 0; i < model.hidden; i++) x[i] += y[i];
      y = product(dense_layers[l].gu, normed(x));
      vector<double> hh(model.ffn);
      for (int i = 0; i < model.ffn; i++) {
        double g = y[(i / 8) * 16 + i % 8], u = y[(i / 8) * 16 + i % 8 + 8];
        hh[i] = g / (1 + std::exp(-g)) * u;
      }
      quant(hh, t);
      y = product(dense_layers[l].down, t);
      for (int i = 0; i < model.hidden; i++) x[i] += y[i];
    }
    out.push_back(product(dense_head, normed(x)));
  }
  return out;
}