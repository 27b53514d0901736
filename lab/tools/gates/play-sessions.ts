// Computes from recorded texts what a person who types a session sees and accepts. It counts like `savings`, but needs
// no server.
import { type Level, stricter } from '../../../language-server/shape/confidence.ts';
import { acceptablePart } from '../savings.ts';
import { commonPrefixLength } from '../statistics.ts';
import type { RecordedPlace } from './recording.ts';

/** The ghost text at a place with a level's gates; '' for none. */
export type GhostAt = (place: RecordedPlace, level: Level) => string;

export interface Characters {
  right: number;
  wrong: number;
}

/**
 * The characters of one session: "right" ones were accepted; "wrong" ones were shown, but the user writes something
 * else. If isStrict, the next stricter level applies from the first typed character that differs from the shown text to
 * the end of the line.
 */
export function playSession(places: RecordedPlace[], level: Level, ghostAt: GhostAt, isStrict = true): Characters {
  const sum = { right: 0, wrong: 0 };
  let previous = { ghost: '', cursor: 0 };
  let reached = 0;
  let isCareful = false;
  for (const place of places) {
    const cursor = place.prefix.length;
    if (cursor < reached) continue;
    const typed = previous.ghost === '' ? '' : place.prefix.slice(previous.cursor);
    const isRejected = typed !== '' && !previous.ghost.startsWith(typed) && !typed.startsWith(previous.ghost);
    if (place.prefix.slice(previous.cursor, cursor).includes('\n')) isCareful = false;
    else isCareful ||= isRejected;
    // If the user types the beginning of the shown text, the rest of it stays.
    const isKept = previous.ghost.startsWith(typed) && previous.ghost.length > typed.length && typed !== '';
    const ghost = isKept
      ? previous.ghost.slice(typed.length)
      : ghostAt(place, isCareful && isStrict ? stricter(level) : level);
    const seenBefore = Math.max(0, commonPrefixLength(typed + ghost, previous.ghost) - typed.length);
    sum.wrong += ghost.length - Math.max(seenBefore, commonPrefixLength(ghost, place.wanted));
    const accepted = acceptablePart(ghost, place.wanted);
    sum.right += accepted.length;
    previous = { ghost, cursor };
    reached = accepted === '' ? 0 : cursor + accepted.length;
  }
  return sum;
}
