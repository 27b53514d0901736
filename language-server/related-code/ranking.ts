// Ranks chunks of code by how useful they probably are at the cursor.
import { stem } from '../prompt/document-path.ts';
import type { Chunk } from './chunks.ts';
import { type CursorQuery, comparable } from './cursor-query.ts';

export interface Candidate {
  /** The path in the workspace. */
  path: string;
  line: number;
  chunk: Chunk;
  /** Whether the chunk defines an imported name or a name near the cursor. */
  isDefinition: boolean;
  /** Whether the chunk is from a closed file. */
  isFromCorpus?: boolean;
}

export interface PlaceQuery extends CursorQuery {
  /** The path of the document with the cursor. */
  path: string;
}

/**
 * The index of closed files. Only its best chunks are candidates, but all its chunks count for the rarity of a word.
 */
export interface Corpus {
  /** The number of chunks. */
  size: number;
  /** The number of chunks that contain the word. */
  holdersOf(word: string): number;
}

export interface Ranked extends Candidate {
  score: number;
}

// A chunk that shares only common words with the lines at the cursor scores less than this.
const minScore = 1.2;
const halfLifeMs = 5 * 60_000;
/** If two chunks have a larger share of words in common, only the better one is kept. */
const sameWordsShare = 0.8;
const longWord = 9;
// No prompt has room for more.
const maxKept = 24;

export function rank(candidates: Candidate[], query: PlaceQuery, nowMs: number, corpus?: Corpus): Ranked[] {
  const rarity = rarityIn(candidates, query, corpus);
  const declarationScores = declarationScoresOf(candidates, query);
  const ranked = candidates
    .map((candidate, i) => ({
      ...candidate,
      score: score(candidate, query, rarity, nowMs) + (declarationScores[i] ?? 0),
    }))
    .filter((candidate) => candidate.score >= minScore)
    .toSorted((a, b) => b.score - a.score);
  const kept: Ranked[] = [];
  for (const candidate of ranked) {
    if (!kept.some(({ chunk }) => isAlike(chunk, candidate.chunk))) kept.push(candidate);
    if (kept.length >= maxKept) break;
  }
  return kept;
}

/** The inverse document frequency of each word, as in BM25: a word in few chunks counts more. */
function rarityIn(candidates: Candidate[], { weights }: CursorQuery, corpus?: Corpus): Map<string, number> {
  const others = candidates.filter(({ isFromCorpus }) => !isFromCorpus);
  const count = others.length + (corpus?.size ?? 0);
  const rarity = new Map<string, number>();
  for (const word of weights.keys()) {
    let holders = corpus?.holdersOf(word) ?? 0;
    for (const { chunk } of others) if (chunk.words.has(word)) holders++;
    const measured = Math.log(1 + Math.max(0, count - holders + 0.5) / (holders + 0.5));
    // If there are few chunks, the frequency says little. A long word is probably no keyword, so it counts as rare.
    rarity.set(word, Math.max(measured, word.length >= longWord ? 0.8 : 0));
  }
  return rarity;
}

/**
 * Scores each candidate for declaring names that occur near the cursor. A chunk that begins with an indented line
 * inherits a part of the score of the chunk above it.
 */
function declarationScoresOf(candidates: Candidate[], { weights }: CursorQuery): number[] {
  let above = 0;
  return candidates.map(({ path, chunk }, i) => {
    let own = 0;
    for (const name of chunk.declared) own += 1.5 * (weights.get(name) ?? 0);
    const isInside = /^\s/.test(chunk.text) && candidates[i - 1]?.path === path;
    above = Math.min(3, own + (isInside ? 0.7 * above : 0));
    return above;
  });
}

function score(candidate: Candidate, query: PlaceQuery, rarity: Map<string, number>, nowMs: number): number {
  const { chunk, path, isDefinition } = candidate;
  let shared = 0;
  for (const [word, weight] of query.weights) if (chunk.words.has(word)) shared += weight * (rarity.get(word) ?? 0);
  const isImported = query.modules.has(comparable(stem(path)));
  return (
    (4 * shared) / (chunk.words.size + 30) ** 0.5 +
    (isImported ? 1.5 : 0) +
    (folderOf(path) === folderOf(query.path) ? 0.5 : 0) +
    (isDefinition ? 3 : 0) +
    recency(chunk.editedAtMs, nowMs) +
    recency(chunk.visitedAtMs, nowMs) / 2
  );
}

/** 1 for now, 0.5 for five minutes ago, 0 for never. A time in the future (the clock was set back) counts as now. */
function recency(atMs: number, nowMs: number): number {
  return atMs === 0 ? 0 : 0.5 ** (Math.max(0, nowMs - atMs) / halfLifeMs);
}

function folderOf(path: string): string {
  return path.replace(/[^/]*$/, '');
}

function isAlike(a: Chunk, b: Chunk): boolean {
  if (a.text === b.text) return true;
  let shared = 0;
  for (const word of a.words) if (b.words.has(word)) shared++;
  return shared > 4 && shared / (a.words.size + b.words.size - shared) > sameWordsShare;
}
