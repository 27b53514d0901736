// Random strings, the same in every run. The tests make secrets of them at run time, so that no scanner finds a key in
// this repository.

const lower = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';
const upper = lower.toUpperCase();

export class Random {
  constructor(private state: number) {}

  /** An integer from 0 to limit - 1, for small limits. */
  below(limit: number): number {
    // A linear congruential generator, whose low bits are weak.
    this.state = (Math.imul(this.state, 1664525) + 1013904223) | 0;
    return (this.state >>> 12) % limit;
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.below(choices.length)] ?? choices[0];
  }

  of(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet.charAt(this.below(alphabet.length))).join('');
  }

  hex(length: number): string {
    return this.of(`${digits}abcdef`, length);
  }

  letters(length: number): string {
    return this.of(lower + upper, length);
  }

  number(length: number): string {
    return this.of('123456789', 1) + this.of(digits, length - 1);
  }

  /** Letters and digits. */
  alnum(length: number): string {
    return this.of(lower + upper + digits, length);
  }

  lowerAlnum(length: number): string {
    return this.of(lower + digits, length);
  }

  upperAlnum(length: number): string {
    return this.of(upper + digits, length);
  }

  base64(length: number): string {
    return this.of(`${lower}${upper}${digits}+/`, length);
  }

  base64url(length: number): string {
    return this.alnum(1) + this.of(`${lower}${upper}${digits}-_`, length - 2) + this.alnum(1);
  }

  uuid(): string {
    return [8, 4, 4, 4, 12].map((length) => this.hex(length)).join('-');
  }

  /** A password that a person or a program might choose. */
  password(): string {
    const word = this.pick(['Winter', 'dragon', 'Kaffee', 'summit', 'Bergsee', 'maple']);
    return this.pick([
      `${word}${this.number(4)}`,
      `${word}${this.number(2)}!`,
      `${this.of(lower, 4)}${this.of('!#%+?', 1)}${this.alnum(5)}${this.number(1)}`,
      `${this.alnum(11)}${this.number(1)}`,
      `${word.replace('e', '3')}_${this.number(3)}`,
    ]);
  }
}
