// How likely a text must be to be shown. The joint probability of a line tells right lines from wrong ones better than
// any other figure that the model gives; test/bench/results/confidence-*.csv have the curves.
import type { ModelInfo } from '../../native/index.ts';
import { probabilityTo, type Written } from './written.ts';

/** How sure the model must be: eager shows most, calm least. */
export type Confidence = 'eager' | 'balanced' | 'calm';

export interface Gate {
  /** Least joint probability of what is shown up to the end of a whole line. */
  line: number;
  /** Least joint probability of the beginning of a line that is not shown whole. */
  piece: number;
}

const minPieceChars = 4;
// Words that any line may begin with: alone they say nothing of what is meant.
const keywordsOnly =
  /^(?:\W|\b(?:abstract|as|async|await|case|class|const|def|default|do|else|enum|export|extends|final|fn|for|from|func|function|if|impl|import|in|interface|let|local|module|mut|namespace|new|of|package|private|protected|pub|public|return|self|static|struct|switch|this|throw|try|type|use|using|val|var|void|while|with|yield)\b)*$/;

// A whole line may be less likely than the beginning of one: that it ends well is a sign of its own.
const defaultGates: Record<Confidence, Gate> = {
  eager: { line: 0.02, piece: 0.3 },
  balanced: { line: 0.05, piece: 0.4 },
  calm: { line: 0.2, piece: 0.7 },
};

interface Fitted {
  /** Of general.name and quantization. */
  model: RegExp;
  gates: Record<Confidence, Gate>;
}

/**
 * As fitted on code that the model has not seen (test/tools/confidence-curve.ts). qwen2.5-coder knows better than the
 * starter when it is right; all of its sizes have what was fitted for the 1.5B.
 */
const fittedGates: Fitted[] = [
  {
    model: /^Starter Coder v2 83M Q4_0$/,
    gates: {
      eager: { line: 0.02, piece: 0.3 },
      balanced: { line: 0.15, piece: 0.45 },
      calm: { line: 0.3, piece: 0.8 },
    },
  },
  {
    model: /qwen-?2\.5[- ]coder/i,
    gates: {
      eager: { line: 0.1, piece: 0.5 },
      balanced: { line: 0.5, piece: 0.6 },
      calm: { line: 0.7, piece: 0.9 },
    },
  },
];

export function gateFor({ name, quantization }: ModelInfo, confidence: Confidence): Gate {
  const fitted = fittedGates.find(({ model }) => model.test(`${name} ${quantization}`));
  return (fitted?.gates ?? defaultGates)[confidence];
}

/** The end of the last of the whole lines in text[0, end) up to which it is likely enough; 0 if the first one is not. */
export function likelyLines(written: Written, end: number, gate: Gate): number {
  const text = written.text.slice(0, end);
  let likely = 0;
  for (const lineEnd of lineEnds(text)) {
    if (probabilityTo(written, lineEnd) < gate.line) break;
    likely = lineEnd;
  }
  return likely;
}

/** The longest beginning of the text that is as likely as a piece has to be; it ends with a word. */
export function likelyBeginning(written: Written, end: number, gate: Gate): number {
  let likely = 0;
  for (const piece of written.pieces) {
    if (probabilityTo(written, piece.end) < gate.piece) break;
    likely = Math.min(piece.end, end);
  }
  const text = written.text.slice(0, likely);
  const isInsideWord = /\w$/.test(text) && (likely === written.text.length || /\w/.test(written.text[likely] ?? ''));
  // Operators and opened brackets at the end say nothing yet.
  const whole = (isInsideWord ? text.replace(/\w+$/, '') : text).replace(/[^\p{L}\p{N}_)\]}"'`;]+$/u, '');
  return whole.trim().length < minPieceChars || keywordsOnly.test(whole) ? 0 : whole.length;
}

/** Ends of the lines that have text, in order. */
function lineEnds(text: string): number[] {
  return [...text.matchAll(/[^\n]*\S[^\n]*/g)].map((line) => line.index + line[0].length);
}
