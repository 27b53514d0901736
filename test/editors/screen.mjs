// Draws a terminal's screen as a PNG, on a page in chromium.
import { chromium } from 'playwright-core';

const basic = ['#000', '#c33', '#3a3', '#a80', '#36c', '#a3a', '#088', '#bbb'];
const bright = ['#888', '#f55', '#5d5', '#fd5', '#58f', '#f5f', '#5dd', '#fff'];

/** The 256 colours: 16 with names, a cube of 6 x 6 x 6, and 24 greys. */
function colourOf(number) {
  if (number < 8) return basic[number];
  if (number < 16) return bright[number - 8];
  if (number >= 232) return `rgb(${Array(3).fill(8 + (number - 232) * 10)})`;
  const part = (by) => [0, 95, 135, 175, 215, 255][Math.floor((number - 16) / by) % 6];
  return `rgb(${[36, 6, 1].map(part)})`;
}

/** The style after the codes in one escape sequence. */
function styled(style, codes) {
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i];
    const what = code >= 40 && code < 50 ? 'background' : 'color';
    if (code === 0) style = {};
    else if (code === 1) style = { ...style, 'font-weight': 'bold' };
    else if (code === 3) style = { ...style, 'font-style': 'italic' };
    else if (code === 7) style = { ...style, color: '#1b1b1b', background: '#ddd' };
    else if (code === 39 || code === 49) style = { ...style, [what]: 'inherit' };
    else if ((code === 38 || code === 48) && codes[i + 1] === 5) {
      style = { ...style, [what]: colourOf(codes[i + 2]) };
      i += 2;
    } else if ((code === 38 || code === 48) && codes[i + 1] === 2) {
      style = { ...style, [what]: `rgb(${codes.slice(i + 2, i + 5)})` };
      i += 4;
    } else if (code >= 90 && code < 98) style = { ...style, color: bright[code - 90] };
    else if (code >= 30 && code < 48) style = { ...style, [what]: basic[code % 10] };
  }
  return style;
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function html(screen) {
  let style = {};
  let page = '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  for (const [, codes, text] of screen.matchAll(/(?:\x1b\[([\d;]*)m)|([^\x1b]+)/g)) {
    if (text === undefined) style = styled(style, codes.split(';').map(Number));
    else
      page += `<span style="${Object.entries(style)
        .map((pair) => pair.join(':'))
        .join(';')}">${escaped(text)}</span>`;
  }
  return `<pre style="margin:0;padding:10px;background:#1b1b1b;color:#ddd;font:14px DejaVu Sans Mono;width:max-content">${page}</pre>`;
}

export async function draw(screen, path) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  try {
    const page = await browser.newPage();
    await page.setContent(html(screen.trimEnd()));
    await page.locator('pre').screenshot({ path });
  } finally {
    await browser.close();
  }
}
