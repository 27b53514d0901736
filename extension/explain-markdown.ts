// Markdown to HTML for the page of an explanation. The text is a model's and may repeat foreign code: tags in it are
// shown as text, and there are no links and no pictures.
import MarkdownIt from 'markdown-it';

const markdownIt = new MarkdownIt({ html: false }).disable(['link', 'image', 'autolink', 'reference']);

export function renderMarkdown(markdown: string): string {
  return markdownIt.render(markdown);
}
