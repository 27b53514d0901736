/** Something that is so or not, to be waited for: a promise that can be renewed. */
export class Signal {
  private resolve: () => void = () => {};
  private isSet = false;
  private promise = this.renewed();

  /** Resolves when it is set, at once if it is. */
  wait(): Promise<void> {
    return this.promise;
  }

  set(): void {
    this.isSet = true;
    this.resolve();
  }

  /** Who waits already goes on waiting. */
  clear(): void {
    if (!this.isSet) return;
    this.isSet = false;
    this.promise = this.renewed();
  }

  private renewed(): Promise<void> {
    return new Promise((resolve) => {
      this.resolve = resolve;
    });
  }
}
