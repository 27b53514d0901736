#include "unroll.h"

#include <cctype>
#include <map>
#include <optional>

using std::string;

namespace {

struct Eval {
  const std::map<string, long>& names;
  const string& s;
  size_t i = 0;
  bool ok = true;
  void skip() {
    while (i < s.size() && isspace((unsigned char)s[i])) i++;
  }
  long atom() {
    skip();
    if (i < s.size() && s[i] == '(') {
      i++;
      long v = sum();
      skip();
      if (i < s.size() && s[i] == ')')
        i++;
      else
        ok = false;
      return v;
    }
    size_t b = i;
    while (i < s.size() && (isalnum((unsigned char)s[i]) || s[i] == '_')) i++;
    string t = s.substr(b, i - b);
    if (t.empty()) {
      ok = false;
      return 0;
    }
    if (isdigit((unsigned char)t[0])) {
      if (t.find('f') != string::npos) ok = false;
      return atol(t.c_str());
    }
    auto f = names.find(t);
    if (f == names.end()) {
      ok = false;
      return 0;
    }
    return f->second;
  }
  long product() {
    long v = atom();
    for (;;) {
      skip();
      char c = i < s.size() ? s[i] : 0;
      if (c != '*' && c != '/' && c != '%') return v;
      i++;
      long w = atom();
      if (c != '*' && !w) {
        ok = false;
        return 0;
      }
      v = c == '*' ? v * w : c == '/' ? v / w : v % w;
    }
  }
  long sum() {
    long v = product();
    for (;;) {
      skip();
      char c = i < s.size() ? s[i] : 0;
      if (c != '+' && c != '-') return v;
      i++;
      long w = product();
      v = c == '+' ? v + w : v - w;
    }
  }
};
std::optional<long> value(const std::map<string, long>& names, const string& e) {
  Eval v{names, e};
  long r = v.sum();
  v.skip();
  if (!v.ok || v.i != e.size()) return {};
  return r;
}
bool word(char c) { return isalnum((unsigned char)c) || c == '_'; }
string replace_word(const string& s, const string& name, const string& by) {
  string o;
  for (size_t i = 0; i < s.size();) {
    if (word(s[i])) {
      size_t b = i;
      while (i < s.size() && word(s[i])) i++;
      string t = s.substr(b, i - b);
      o += t == name && (b == 0 || s[b - 1] != '.') ? by : t;
    } else
      o += s[i++];
  }
  return o;
}
string unroll(const string& s, const std::map<string, long>& names, int most) {
  string o;
  size_t at = 0;
  for (;;) {
    size_t f = s.find("for (var ", at);
    if (f == string::npos) return o + s.substr(at);
    size_t close = f + 4, depth = 0;
    for (; close < s.size(); close++) {
      if (s[close] == '(') depth++;
      if (s[close] == ')' && --depth == 0) break;
    }
    size_t open = s.find('{', close), end = open;
    depth = 0;
    for (; end < s.size(); end++) {
      if (s[end] == '{') depth++;
      if (s[end] == '}' && --depth == 0) break;
    }
    string head = s.substr(f + 5, close - f - 5), body = s.substr(open + 1, end - open - 1);
    size_t a = head.find(';'), b = head.find(';', a + 1);
    string init = head.substr(4, a - 4), cond = head.substr(a + 1, b - a - 1),
           step = head.substr(b + 1);
    size_t eq = init.find(" = "), lt = cond.find(" < ");
    string name = init.substr(0, eq);
    std::optional<long> from, to, by;
    if (lt != string::npos) {
      from = value(names, init.substr(eq + 3));
      to = value(names, cond.substr(lt + 3));
      if (step.find("++") != string::npos)
        by = 1;
      else if (size_t p = step.find("+= "); p != string::npos)
        by = value(names, step.substr(p + 3));
    }
    if (from && to && by && *by > 0 && (*to - *from + *by - 1) / *by <= most) {
      o += s.substr(at, f - at);
      for (long i = *from; i < *to; i += *by)
        o += "{" + unroll(replace_word(body, name, std::to_string(i) + "u"), names, most) + "}";
    } else
      o += s.substr(at, open + 1 - at) + unroll(body, names, most) + "}";
    at = end + 1;
  }
}

}  // namespace

string unrolled(const string& s, int most) {
  std::map<string, long> names;
  for (size_t p = s.find("const "); p != string::npos; p = s.find("const ", p + 1)) {
    if (p && s[p - 1] != '\n') continue;
    size_t e = s.find(" = ", p), z = s.find(';', p);
    if (auto v = value(names, s.substr(e + 3, z - e - 3))) names[s.substr(p + 6, e - p - 6)] = *v;
  }
  return unroll(s, names, most);
}
