// What `test:real` prints, line by line, and whether all of it is well.
export class Report {
  private readonly faults: string[] = [];

  line(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  /** A line that says what is right or wrong; wrong ones are repeated at the end. */
  verdict(isWell: boolean, text: string): void {
    this.line(`${isWell ? 'ok  ' : 'FAIL'} ${text}`);
    if (!isWell) this.faults.push(text);
  }

  /** The exit code. */
  end(): number {
    this.line(this.faults.length === 0 ? 'Nothing differs without an explanation.' : '\nNot explained:');
    for (const fault of this.faults) this.line(`- ${fault}`);
    return this.faults.length === 0 ? 0 : 1;
  }
}
