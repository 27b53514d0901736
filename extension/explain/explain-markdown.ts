// Renders an explanation as HTML. The model may repeat untrusted code, so HTML tags are shown as text, and links and
// images are dropped.
import MarkdownIt from 'markdown-it';

const markdownIt = new MarkdownIt({ html: false }).disable(['link', 'image', 'autolink', 'reference']);

export function renderMarkdown(markdown: string): string {
  return markdownIt.render(markdown);
}
