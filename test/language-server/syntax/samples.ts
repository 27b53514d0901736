// Texts in every language with a grammar: the golden cases' documents, and hostile texts.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { grammarOf } from '../../../language-server/syntax/grammars.ts';

const golden = join(import.meta.dirname, '../../golden');
/** Samples of languages that have no golden cases. */
const likeOthers: Record<string, string> = { javascriptreact: 'javascript', dockercompose: 'yaml' };
const hcl = `variable "region" {
  type    = string
  default = "eu-west-1"
}

resource "aws_instance" "web" {
  count = length(var.names)
  tags = {
    Name = "web-\${count.index}"
    Zone = [var.region, "a"]
  }
}
`;
const others: Record<string, string> = {
  terraform: hcl,
  hcl,
  makefile: `CC = gcc
objects := $(patsubst %.c,%.o,$(wildcard *.c))

all: $(objects)
	$(CC) -o main $^

ifeq ($(DEBUG),1)
CFLAGS += -g
endif

%.o: %.c
	$(CC) $(CFLAGS) -c $< -o $@
`,
  dart: `import 'dart:math';

class Point {
  final int x, y;
  const Point(this.x, this.y);

  double get length => sqrt(x * x + y * y);

  Point operator +(Point other) {
    return Point(x + other.x, y + other.y);
  }
}

void main() {
  final points = <Point>[for (var i = 0; i < 3; i++) Point(i, i)];
  for (final point in points) {
    if (point.length > 1) {
      print('long: \${point.length}');
    }
  }
}
`,
  zig: `const std = @import("std");

const Point = struct {
    x: i32,
    y: i32 = 0,

    pub fn sum(self: Point) i32 {
        return self.x + self.y;
    }
};

pub fn main() !void {
    var points: [4]Point = undefined;
    for (&points, 0..) |*point, i| {
        point.* = .{ .x = @intCast(i), .y = 2 };
    }
    if (points[0].sum() > 1) {
        std.debug.print("sum: {d}\\n", .{points[0].sum()});
    } else switch (points.len) {
        0 => return error.Empty,
        else => {},
    }
}
`,
};

/** The documents of a language's golden cases, before and after a suggestion. */
export function samples(languageId: string): string[] {
  const own = others[languageId];
  if (own) return [own];
  const file = join(golden, `${likeOthers[languageId] ?? languageId}.md`);
  if (!existsSync(file)) throw new Error(`no sample of ${languageId}`);
  const blocks = readFileSync(file, 'utf8').matchAll(/^(`{3,})(?:document|accepted)\n(.*?)\n?\1$/gms);
  const texts = Array.from(blocks, ([, , text = '']) => text.replace('$0', ''));
  return texts.filter((text) => !grammarOf(languageId)?.refused?.test(text));
}

const length = 60_000;
const filled = (part: string) => part.repeat(Math.ceil(length / part.length)).slice(0, length);

/** Texts that nobody would write, most of them 60,000 characters long. */
export const hostile: Record<string, string> = {
  nested: filled('('),
  braces: filled('{'),
  'mixed brackets': filled('({['),
  'closing brackets': filled(')}]'),
  'angle brackets': filled('<'),
  tags: filled('<a '),
  'open tags': filled('<a>'),
  generics: filled('f<'),
  arrows: filled('a=>'),
  quotes: filled('"'),
  apostrophes: filled("'"),
  templates: filled('`${'),
  conditions: filled('a ? b : '),
  keywords: filled('if for while do end '),
  nulls: filled('\0'),
  'nulls in code': filled('a\0 = 1;\n'),
  'half characters': filled('\ud83d'),
  'halves the wrong way round': filled('\udc00\ud800'),
  'one line': filled('x = f(a, b); '),
  'line breaks': filled('\n'),
  'carriage returns': filled('a = 1\r'),
  indented: Array.from({ length: 340 }, (_, i) => `${' '.repeat(i)}if a:\n`).join(''),
  'items in items': filled('- '),
  'here documents': filled('<<A '),
  comments: filled('/*'),
  json: filled('[{"a":'),
};
