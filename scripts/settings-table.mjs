// Generates the table in docs/settings.md from package.json and its English texts. Needs no npm packages.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './tools.mjs';

const page = join(root, 'docs/settings.md');
const place = /(?<=<!-- settings: .* -->\n).*?(?=<!-- \/settings -->)/s;

/** package.json as VS Code shows it in English: "%key%" replaced by the text of package.nls.json. */
export function manifest() {
  const read = (file) => readFileSync(join(root, file), 'utf8');
  const texts = JSON.parse(read('package.nls.json'));
  return JSON.parse(read('package.json'), (_, value) => {
    const key = typeof value === 'string' && /^%([\w.]+)%$/.exec(value)?.[1];
    return key ? texts[key] : value;
  });
}

/** Throws if the page lacks the markers for the table. */
export function isSettingsTableCurrent() {
  const found = place.exec(readFileSync(page, 'utf8'));
  if (!found) throw new Error('docs/settings.md has no place for the table of settings.');
  return found[0] === settingsTable();
}

export function writeSettingsTable() {
  const text = readFileSync(page, 'utf8');
  writeFileSync(
    page,
    text.replace(place, () => settingsTable()),
  );
}

function settingsTable() {
  const { properties } = manifest().contributes.configuration;
  const rows = Object.entries(properties).map(([name, setting]) => {
    // Only two columns, because pages are narrow and names do not break.
    const cells = [`\`${name}\`<br>\`${JSON.stringify(setting.default)}\``, description(setting)];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return `\n${['| Setting and default | What it does |', '| --- | --- |', ...rows].join('\n')}\n\n`;
}

function description(setting) {
  const choices = setting.markdownEnumDescriptions ?? setting.enumDescriptions ?? [];
  const listed = choices.map((text, i) => `<br>\`${setting.enum[i]}\`: ${text}`);
  // In VS Code "#name#" is a link to another setting.
  return setting.markdownDescription.replaceAll(/`#([\w.]+)#`/g, '`$1`') + listed.join('');
}
