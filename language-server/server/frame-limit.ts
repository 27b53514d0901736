// Follows the frames of a connection as their bytes come in, and reports a frame that announces too great a length. The
// library's reader believes every length: it would silently wait for four gigabytes.

/** More than the longest document that an editor opens, even with every character escaped. */
export const maxMessageBytes = 2 ** 28;
const maxHeaderBytes = 4096;
const headerEnd = '\r\n\r\n';

export class FrameLimit {
  private header = '';
  /** The number of bytes of the current message that have not come yet. */
  private left = 0;

  /** Returns a function to call with all bytes in order. onExcess: called once, with a description of the fault. */
  static following(onExcess: (fault: string) => void): (bytes: Buffer) => void {
    const limit = new FrameLimit();
    let isOver = false;
    return (bytes) => {
      const fault = isOver ? '' : limit.faultIn(bytes);
      if (fault === '') return;
      isOver = true;
      onExcess(fault);
    };
  }

  private faultIn(bytes: Buffer): string {
    for (let from = 0; from < bytes.length; ) {
      const skipped = Math.min(this.left, bytes.length - from);
      this.left -= skipped;
      from += skipped;
      if (from === bytes.length) return '';
      const before = this.header.length;
      this.header += bytes.toString('latin1', from, from + maxHeaderBytes);
      const end = this.header.indexOf(headerEnd);
      if (end < 0 && this.header.length > maxHeaderBytes) return `its header has more than ${maxHeaderBytes} bytes`;
      from += (end < 0 ? this.header.length : end + headerEnd.length) - before;
      if (end < 0) continue;
      this.left = lengthIn(this.header.slice(0, end));
      this.header = '';
      if (this.left > maxMessageBytes)
        return `it promises ${this.left} bytes, but a message has at most ${maxMessageBytes}`;
    }
    return '';
  }
}

/** The length as the library's reader understands it: the last content-length line counts. 0 if it is no number. */
function lengthIn(header: string): number {
  const values = header.split('\r\n').flatMap((line) => /^\s*content-length\s*:(.*)$/i.exec(line)?.[1] ?? []);
  return Math.max(0, Number.parseInt(values.at(-1) ?? '', 10) || 0);
}
