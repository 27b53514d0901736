/** Something that is there or not, to be waited for: a promise that can be renewed. */
export class Signal<T> {
  private resolve: (value: T) => void = () => {};
  private isSet = false;
  private promise = this.renewed();

  /** Resolves when it is set, at once if it is. */
  wait(): Promise<T> {
    return this.promise;
  }

  set(value: T): void {
    this.isSet = true;
    this.resolve(value);
  }

  /** Who waits already goes on waiting. */
  clear(): void {
    if (!this.isSet) return;
    this.isSet = false;
    this.promise = this.renewed();
  }

  private renewed(): Promise<T> {
    return new Promise((resolve) => {
      this.resolve = resolve;
    });
  }
}
