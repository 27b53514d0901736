// How likely a text must be to be shown. Of all figures that the model provides, the joint probability of a line
// separates right lines from wrong ones best; test/bench/results/confidence-*.csv have the curves.
import type { ModelInfo } from '../../native/index.ts';
import type { GeneratedText } from './generated-text.ts';
import { filledLines } from './indentation.ts';

/** The setting for how likely a text must be: eager shows most, calm least. */
export type Confidence = 'eager' | 'balanced' | 'calm';

export interface Gate {
  /** The least joint probability of text that is shown up to the end of a line. */
  line: number;
  /** The least joint probability of the beginning of a line, shown without the rest. */
  beginning: number;
}

// A whole line may be less likely than the beginning of one: that it ended properly is evidence in itself.
const defaultGates: Record<Confidence, Gate> = {
  eager: { line: 0.02, beginning: 0.3 },
  balanced: { line: 0.05, beginning: 0.4 },
  calm: { line: 0.2, beginning: 0.7 },
};

interface Fitted {
  /** Matches "NAME QUANTIZATION", where NAME is general.name of the GGUF file. */
  model: RegExp;
  gates: Record<Confidence, Gate>;
}

/**
 * Fitted on code that the models have not seen (test/tools/confidence-curve.ts). qwen2.5-coder's probabilities separate
 * right from wrong better than the starter's; all of its sizes use the gates fitted for the 1.5B.
 */
const fittedGates: Fitted[] = [
  {
    model: /^Starter Coder v2 83M Q4_0$/,
    gates: {
      eager: { line: 0.02, beginning: 0.3 },
      balanced: { line: 0.15, beginning: 0.45 },
      calm: { line: 0.3, beginning: 0.8 },
    },
  },
  {
    model: /qwen-?2\.5[- ]coder/i,
    gates: {
      eager: { line: 0.1, beginning: 0.5 },
      balanced: { line: 0.5, beginning: 0.6 },
      calm: { line: 0.7, beginning: 0.9 },
    },
  },
];

export function gateFor({ name, quantization }: ModelInfo, confidence: Confidence): Gate {
  const fitted = fittedGates.find(({ model }) => model.test(`${name} ${quantization}`));
  return (fitted?.gates ?? defaultGates)[confidence];
}

/** The end of the last line in text[0, end) up to which the text is likely enough; 0 if not even the first line is. */
export function likelyLines(generated: GeneratedText, end: number, gate: Gate): number {
  const text = generated.text.slice(0, end);
  let likely = 0;
  for (const line of filledLines(text)) {
    if (generated.probabilityTo(line.end) < gate.line) break;
    likely = line.end;
  }
  return likely;
}
