// Tells whether a line of code declares a name, in any of the languages, without a syntax tree.
import { isWhole } from '../substitutions.ts';

// A declared name comes after a keyword, after its type (at the beginning of the line or among the parameters), or at
// the beginning of the line before its type or value.
const keyword =
  /\b(?:let|const|var|val|def|fn|func|fun|function|class|struct|enum|interface|trait|type|typedef|namespace|module|protocol|record|define|auto|static|final|private|protected|public|readonly)\b[^=(;]*$/u;
const typeFirst =
  /^\s*(?!return\b|new\b|await\b|throw\b|case\b|else\b|use\b|import\b|in\b|not\b|delete\b|yield\b)[\p{L}_][\p{L}\p{N}_<>[\].:?]*[\s*&]+$/u;
const parameter = /[(,]\s*(?:const\s+)?[\p{L}_][\p{L}\p{N}_<>[\].:?]*[\s*&]+$/u;

/** Whether one of the lines declares the name. */
export function declares(lines: string, name: string): boolean {
  return lines.split('\n').some((line) => {
    const at = line.indexOf(name);
    if (at === -1 || !isWhole(line, at, name.length)) return false;
    const [before, rest] = [line.slice(0, at), line.slice(at + name.length).trimStart()];
    if (keyword.test(before)) return true;
    if (before.trim() === '') return /^(?::=|:(?!:)|=(?!=))/.test(rest);
    return (typeFirst.test(before) && /^[=;,({[]/.test(rest)) || (parameter.test(before) && /^[,)=]/.test(rest));
  });
}
