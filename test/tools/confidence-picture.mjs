// node test/tools/confidence-picture.mjs CURVE.csv > PICTURE.svg: for each kind of case, the wrong lines that are shown
// against the right ones that are hidden, from the most eager gate to the calmest.
import { readFileSync } from 'node:fs';

const [width, height, margin] = [640, 420, 56];
const colours = {
  all: '#1f2328',
  rest: '#0969da',
  line: '#1a7f37',
  lines: '#9a6700',
  bracket: '#8250df',
  opener: '#cf222e',
};
const defaultGate = { line: 0.15, piece: '0.45' };

const [head, ...lines] = readFileSync(process.argv[2], 'utf8').trim().split('\n');
const names = head.split(',');
const rows = lines.map((line) => Object.fromEntries(line.split(',').map((cell, i) => [names[i], cell])));
const x = (share) => margin + share * (width - 2 * margin);
const y = (share) => height - margin - share * (height - 2 * margin);

const groupOf = (name) => (name === 'all' ? name : `kind ${name}`);

function hasCases([name]) {
  return rows.some(({ group }) => group === groupOf(name));
}

/** The points of a group, by the gate on lines; the gate on pieces is the default's. */
function points(group) {
  return rows
    .filter((row) => row.group === group && row.piece_gate === defaultGate.piece)
    .sort((a, b) => a.line_gate - b.line_gate)
    .map((row) => ({
      gate: Number(row.line_gate),
      x: x(1 - row.right_kept / Math.max(1, row.lines_right)),
      y: y(row.wrong_shown / Math.max(1, row.lines_wrong)),
    }));
}

function curve([name, colour], i) {
  const at = points(groupOf(name));
  const line = at.map((point) => `${point.x.toFixed(1)},${point.y.toFixed(1)}`).join(' ');
  const chosen = at.find(({ gate }) => gate === defaultGate.line);
  const dot = chosen ? `<circle cx="${chosen.x.toFixed(1)}" cy="${chosen.y.toFixed(1)}" r="4" fill="${colour}"/>` : '';
  const label = `<text x="${width - margin - 90}" y="${margin + 18 * i}" fill="${colour}">${name}</text>`;
  return `<polyline points="${line}" fill="none" stroke="${colour}" stroke-width="${i === 0 ? 2.5 : 1.2}"/>${dot}${label}`;
}

const ticks = [0, 0.25, 0.5, 0.75, 1].map(
  (share) =>
    `<text x="${x(share)}" y="${height - margin + 18}" text-anchor="middle">${share * 100} %</text>` +
    `<text x="${margin - 8}" y="${y(share) + 4}" text-anchor="end">${share * 100} %</text>`,
);
console.log(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="12">
<rect width="${width}" height="${height}" fill="#ffffff"/>
<path d="M${margin} ${margin}V${height - margin}H${width - margin}" fill="none" stroke="#8c959f"/>
${ticks.join('\n')}
<text x="${width / 2}" y="${height - 14}" text-anchor="middle">right first lines that are hidden</text>
<text x="${margin}" y="${margin - 24}">wrong first lines that are shown; dots: the default gate</text>
${Object.entries(colours).filter(hasCases).map(curve).join('\n')}
</svg>`);
