// Renders an explanation as HTML. The text comes from a model and might repeat untrusted code, so HTML tags in it are
// shown as text, and links and images are dropped.
import MarkdownIt from 'markdown-it';

const markdownIt = new MarkdownIt({ html: false }).disable(['link', 'image', 'autolink', 'reference']);

export function renderMarkdown(markdown: string): string {
  return markdownIt.render(markdown);
}
