// The traces that `hearth doctor --trace` writes, from a real engine with the starter model.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeOpTrace } from '../../language-server/diagnosis/op-trace.ts';
import { loadEngine } from '../../native/index.ts';

interface Event {
  name: string;
  ts: number;
  dur: number;
  args: { layer: number; tokens: number; bytes: number; 'GB/s': number };
}

test('a trace has every operation of every layer in order, with the bytes that it read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-trace-'));
  const file = join(folder, 'trace.json');
  const engine = await loadEngine({ modelPath: 'models/starter.gguf', backend: 'cpu' });
  try {
    const said = await writeOpTrace(engine, file);
    const events = JSON.parse(readFileSync(file, 'utf8')).traceEvents as Event[];
    expect(said).toContain(`${events.length} operations`);
    const names = (layer: number) =>
      new Set(events.filter((event) => event.args.layer === layer).map((event) => event.name));
    for (let layer = 0; layer < engine.info.layers; layer++)
      for (const name of ['qkv', 'attention', 'attn_output', 'ffn_gate_up', 'ffn_down'])
        expect(names(layer)).toContain(name);
    expect(names(engine.info.layers)).toEqual(new Set(['head', 'argmax']));
    events.reduce((before, event) => {
      expect(event.ts).toBeGreaterThanOrEqual(before.ts + before.dur - 1);
      return event;
    });
    const { layers, vocabulary, hidden } = engine.info;
    const heads = events.filter(({ name }) => name === 'head');
    expect(heads.every(({ args }) => args.bytes > (vocabulary * hidden) / 4)).toBe(true);
    const firstDown = events.find(({ name }) => name === 'ffn_down');
    expect(firstDown?.args.tokens).toBeGreaterThan(20);
    expect(layers).toBeGreaterThan(1);
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true });
  }
});

test('in a layer with a sliding window, attention reads only the window', async () => {
  const engine = await loadEngine({ modelPath: 'test/fixtures/reference/tiny-mellum.gguf', backend: 'cpu' });
  try {
    const tokens = Uint32Array.from({ length: 200 }, (_, i) => (i * 37) % 256);
    const { trace = [] } = await engine.generate({ tokens, maxTokens: 4, speculate: false, traceOps: true });
    const last = trace.filter(({ op }) => op === 'attention').slice(-engine.info.layers);
    const [sliding = 0, full = 0] = last.map(({ bytes }) => bytes);
    expect(sliding / full).toBeCloseTo(50 / (tokens.length + 3), 5);
  } finally {
    await engine.close();
  }
});
