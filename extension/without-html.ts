// Models write `Promise<void>` in prose. As HTML it would vanish, so a tag outside fenced code is broken by an invisible
// space. (Safety is not the matter here: the page's content policy sees to that.)

export function withoutHtml(markdown: string): string {
  let fence = '';
  return markdown
    .split('\n')
    .map((line) => {
      const mark = /^ *(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
      if (fence) {
        if (mark.startsWith(fence)) fence = '';
        return line;
      }
      fence = mark;
      return line.replace(/<(?=[a-z/!?])/gi, '<\u200b');
    })
    .join('\n');
}
