// node lab/tools/gates/picture.mjs GATES.csv > PICTURE.svg draws right characters against wrong ones, level by level:
// for gates that are equal in all situations (grey), for the gates before the fit, and for the fitted gates.
import { readFileSync } from 'node:fs';

const [width, height, margin] = [640, 420, 64];
const styles = { even: ['#afb8c1', 2], before: ['#cf222e', 5], fitted: ['#1a7f37', 5] };

const [title = '', head = '', ...lines] = readFileSync(process.argv[2], 'utf8').trim().split('\n');
const names = head.split(',');
const rows = lines
  .map((line) => Object.fromEntries(line.split(',').map((cell, i) => [names[i], cell])))
  .map((row) => ({
    kind: row.gates.split(' ')[0],
    level: row.level,
    right: Number(row.cuts_right) + Number(row.typed_right),
    wrong: Number(row.cuts_wrong) + Number(row.typed_wrong),
  }))
  .filter(({ kind }) => kind in styles);
const most = (key) => Math.max(...rows.map((row) => row[key]));
const x = (wrong) => margin + (wrong / most('wrong')) * (width - 2 * margin);
const y = (right) => height - margin - (right / most('right')) * (height - 2 * margin);

function dot({ kind, level, right, wrong }) {
  const [colour, radius] = styles[kind];
  const at = `${x(wrong).toFixed(1)}" cy="${y(right).toFixed(1)}`;
  const name = kind === 'even' ? '' : `<text x="${x(wrong) + 8}" y="${y(right) + 12}" fill="${colour}">${level}</text>`;
  return `<circle cx="${at}" r="${radius}" fill="${colour}"/>${name}`;
}

const shares = [0, 0.5, 1];
const ticks = shares.map(
  (share) =>
    `<text x="${x(share * most('wrong'))}" y="${height - margin + 18}" text-anchor="middle">${Math.round(share * most('wrong'))}</text>` +
    `<text x="${margin - 8}" y="${y(share * most('right')) + 4}" text-anchor="end">${Math.round(share * most('right'))}</text>`,
);
console.log(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="12">
<rect width="${width}" height="${height}" fill="#ffffff"/>
<path d="M${margin} ${margin}V${height - margin}H${width - margin}" fill="none" stroke="#8c959f"/>
${ticks.join('\n')}
<text x="${width / 2}" y="${height - 20}" text-anchor="middle">characters shown and wrong</text>
<text x="${margin}" y="${margin - 34}">${title.replace(/^# /, '')}</text>
<text x="${margin}" y="${margin - 16}">characters shown and right: <tspan fill="${styles.before[0]}">before</tspan>, <tspan fill="${styles.fitted[0]}">fitted</tspan>, <tspan fill="#8c959f">one gate everywhere</tspan></text>
${rows
  .sort((a, b) => a.kind.localeCompare(b.kind) || a.wrong - b.wrong)
  .map(dot)
  .join('\n')}
</svg>`);
