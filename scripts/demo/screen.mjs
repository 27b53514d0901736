// Draws the lines around the cursor with the ghost text dimmed: in place on a terminal, one line an event in a log.
const useColor = process.stdout.isTTY === true && !process.env.NO_COLOR;
const style = (code) => (text) => (useColor && text ? `\x1b[${code}m${text}\x1b[0m` : text);
const dim = style(2);
const green = style(32);
const bold = style(1);

const linesAbove = 8;
const linesBelow = 3;

function figures({ latencyMs, timings, accepted }, ghost) {
  // As in VS Code: Tab takes all of it, Ctrl+→ a word.
  const key = green((accepted && (accepted === ghost ? 'Tab' : 'Ctrl+→')).padEnd(7));
  if (timings.promptTokens === 0) return `${key}${latencyMs.toFixed(1)} ms, from memory`;
  const { ttftMs, completionTokens, decodeMs, promptTokens, cachedTokens } = timings;
  const speed = decodeMs > 0 ? `, ${Math.round((completionTokens * 1000) / decodeMs)} tokens/s` : '';
  return `${key}first token ${ttftMs.toFixed(0)} ms${speed}, ${cachedTokens} of ${promptTokens} tokens cached`;
}

export class Screen {
  height = 0;

  constructor(isTerminal) {
    this.isTerminal = isTerminal;
  }

  /** event: what the last answer took, and which part of the ghost text is accepted next. */
  draw(before, ghost, after, event) {
    if (this.isTerminal) this.redraw(before, ghost, after, event);
    else if (event?.accepted) this.log(before, ghost, event);
  }

  redraw(before, ghost, after, event) {
    const above = before.split('\n');
    const number = above.length;
    const cursor = useColor ? '\x1b[7m \x1b[0m' : '|';
    const [rest = '', ...below] = after.split('\n');
    const [first = '', ...more] = ghost.split('\n');
    const current = `${above.pop()}${ghost ? dim(first) : cursor}${more.length > 0 ? '' : rest}`;
    const lines = [...above.slice(-linesAbove), current];
    // Lines that the ghost text opens push the others down, as in an editor.
    const opened = more.map((line, i) => dim(line) + (i === more.length - 1 ? rest : ''));
    const numbered = [...lines, ...opened, ...below.slice(0, linesBelow)].map((line, i) => {
      const n = String(number - lines.length + 1 + i).padStart(4);
      return `${n === String(number).padStart(4) ? bold(n) : dim(n)}  ${line}`;
    });
    const height = linesAbove + linesBelow + 6;
    const frame = numbered.slice(0, height);
    while (frame.length < height) frame.push('');
    frame.push('', event ? `      ${figures(event, ghost)}` : '');
    const up = this.height > 0 ? `\x1b[${this.height}A` : '';
    process.stdout.write(`${up}${frame.map((line) => `\x1b[2K${line}\n`).join('')}`);
    this.height = frame.length;
  }

  log(before, ghost, event) {
    const line = before.slice(before.lastIndexOf('\n') + 1);
    const text = ghost.replaceAll('\n', '\\n');
    console.log(`${line}[${text}]\n      ${figures(event, ghost)}`);
  }
}
