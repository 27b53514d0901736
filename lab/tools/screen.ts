// Shows the lines around the cursor with the ghost text dimmed. On a terminal, each picture replaces the last one; in a
// log, each accepted ghost text is a line.
import type { Moment } from './savings.ts';

const useColor = process.stdout.isTTY === true && !process.env.NO_COLOR;
const style = (code: number) => (text: string) => (useColor && text ? `\x1b[${code}m${text}\x1b[0m` : text);
const dim = style(2);
const green = style(32);
const bold = style(1);

const linesAbove = 8;
const linesBelow = 3;

function figures({ ghost, accepted, latencyMs, timings }: Moment): string {
  // As in VS Code: Tab accepts the whole ghost text, and Ctrl+→ one word.
  const key = green((accepted && (accepted === ghost ? 'Tab' : 'Ctrl+→')).padEnd(7));
  if (!timings) return `${key}${latencyMs.toFixed(1)} ms, from memory`;
  const { ttftMs, completionTokens, decodeMs, promptTokens, cachedTokens } = timings;
  const speed = decodeMs > 0 ? `, ${Math.round((completionTokens * 1000) / decodeMs)} tokens/s` : '';
  return `${key}first token ${ttftMs.toFixed(0)} ms${speed}, ${cachedTokens} of ${promptTokens} tokens cached`;
}

export class Screen {
  private height = 0;

  constructor(private readonly isTerminal: boolean) {}

  show(moment: Moment): void {
    const { before, ghost, after, accepted } = moment;
    if (this.isTerminal) {
      this.draw(before, ghost, after, `      ${figures(moment)}`);
    } else if (accepted) {
      const line = before.slice(before.lastIndexOf('\n') + 1);
      console.log(`${line}[${ghost.replaceAll('\n', '\\n')}]\n      ${figures(moment)}`);
    }
  }

  end({ before, after } = { before: '', after: '' }): void {
    if (this.isTerminal) this.draw(before, '', after, '');
  }

  private draw(before: string, ghost: string, after: string, footer: string): void {
    const above = before.split('\n');
    const number = above.length;
    const cursor = useColor ? '\x1b[7m \x1b[0m' : '|';
    const [rest = '', ...below] = after.split('\n');
    const [first = '', ...more] = ghost.split('\n');
    const current = `${above.pop()}${ghost ? dim(first) : cursor}${more.length > 0 ? '' : rest}`;
    const lines = [...above.slice(-linesAbove), current];
    // Lines that the ghost text adds push the others down, as in an editor.
    const opened = more.map((line, i) => dim(line) + (i === more.length - 1 ? rest : ''));
    const numbered = [...lines, ...opened, ...below.slice(0, linesBelow)].map((line, i) => {
      const n = String(number - lines.length + 1 + i).padStart(4);
      return `${n === String(number).padStart(4) ? bold(n) : dim(n)}  ${line}`;
    });
    const height = linesAbove + linesBelow + 6;
    const frame = numbered.slice(0, height);
    while (frame.length < height) frame.push('');
    frame.push('', footer);
    const up = this.height > 0 ? `\x1b[${this.height}A` : '';
    process.stdout.write(`${up}${frame.map((line) => `\x1b[2K${line}\n`).join('')}`);
    this.height = frame.length;
  }
}
