// The Markdown of an explanation. A model's words are not ours: they come from a file and may repeat what stands in
// foreign code, so an image (which the preview would fetch from anywhere) or HTML must arrive as text.

export function explanationText(title: string, answer: string, footer: string): string {
  const body = answer.trim() === '' ? (footer ? '_No answer._' : '_Thinking…_') : withoutEmbeds(answer);
  return `#### ${withoutEmbeds(title)}\n\n${body}\n${footer ? `\n---\n_${withoutEmbeds(footer)}_\n` : ''}`;
}

/** Breaks `![` and `<` by an invisible space, outside fenced code, where they mean nothing. */
export function withoutEmbeds(markdown: string): string {
  let fence = '';
  return markdown
    .split('\n')
    .map((line) => {
      if (fence) {
        if (closes(line, fence)) fence = '';
        return line;
      }
      fence = opens(line);
      return fence ? line : line.replace(/!(?=\[)|<(?=[a-z/!?])/gi, '$&\u200b');
    })
    .join('\n');
}

// Only a fence in the first column: an indented one may belong to a list, which ends it where we would not see it.
function opens(line: string): string {
  const [, backticks, tildes] = /^(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(line) ?? [];
  return backticks ?? tildes ?? '';
}

function closes(line: string, fence: string): boolean {
  const mark = line.trim();
  return mark.length >= fence.length && mark === fence.charAt(0).repeat(mark.length);
}
