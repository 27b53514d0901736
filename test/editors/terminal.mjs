// A program in a terminal with 80 columns, run by a tmux server of its own.
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

const size = ['-x', '80', '-y', '14'];
const lookMs = 50;
let next = 0;

export class Terminal {
  constructor(command, folder) {
    this.socket = `hearth-${process.pid}-${next++}`;
    const words = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    const terminal = ['set', '-g', 'default-terminal', 'tmux-256color', ';', 'set', '-sg', 'escape-time', '0', ';'];
    const session = ['new-session', '-d', ...size, '-e', 'COLORTERM=truecolor', '-c', folder, words];
    this.tmux('-f', '/dev/null', 'start-server', ';', ...terminal, ...session);
  }

  /** Sends a key by its name, or a text that ends with a key's name. */
  press(key) {
    this.tmux('send-keys', key);
  }

  type(text) {
    this.tmux('send-keys', '-l', text);
  }

  screen() {
    try {
      return this.tmux('capture-pane', '-p');
    } catch {
      return '(the program has ended)';
    }
  }

  /** The screen with its escape sequences. */
  colours() {
    return this.tmux('capture-pane', '-p', '-e');
  }

  async until(isWanted, patienceMs) {
    for (let waited = 0; !isWanted(this.screen()); waited += lookMs) {
      if (waited > patienceMs) throw new Error(`the screen is not as it should be after ${patienceMs} ms`);
      await sleep(lookMs);
    }
  }

  async ended(patienceMs) {
    await this.until((screen) => screen === '(the program has ended)', patienceMs);
  }

  close() {
    try {
      this.tmux('kill-server');
    } catch {
      // The tmux server ends with its last program.
    }
  }

  tmux(...args) {
    return execFileSync('tmux', ['-L', this.socket, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' },
    });
  }
}
