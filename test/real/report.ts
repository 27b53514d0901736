// Prints the lines of `test:real`, and remembers whether everything is right.
export class Report {
  private readonly faults: string[] = [];
  private verdicts = 0;

  line(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  /** Prints a line that says what is right or wrong. Wrong ones are repeated at the end. */
  verdict(isWell: boolean, text: string): void {
    this.line(`${isWell ? 'ok  ' : 'FAIL'} ${text}`);
    this.verdicts++;
    if (!isWell) this.faults.push(text);
  }

  /** The exit code. */
  end(): number {
    if (this.faults.length > 0) this.line('\nNot explained:');
    else if (this.verdicts > 0) this.line('Nothing differs without an explanation.');
    for (const fault of this.faults) this.line(`- ${fault}`);
    return this.faults.length === 0 ? 0 : 1;
  }
}
