// What a person who types sessions sees, accepts and types on through, from recorded texts: as `savings` counts it, but
// without a server.
import { type Level, stricter } from '../../../language-server/shape/confidence.ts';
import { usable } from '../savings.ts';
import { commonPrefixLength } from '../statistics.ts';
import type { RecordedPlace } from './recording.ts';

/** The texts at a place by the gates' level; '' for none. */
export type GhostAt = (place: RecordedPlace, level: Level) => string;

export interface Characters {
  right: number;
  wrong: number;
}

/**
 * Typed in one session: right are the characters accepted, wrong those that were shown and are not what follows. After
 * something else was typed than what is shown, the next stricter level applies up to the end of the line.
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
    // What is left of a text that the user types along is shown on.
    const isKept = previous.ghost.startsWith(typed) && previous.ghost.length > typed.length && typed !== '';
    const ghost = isKept
      ? previous.ghost.slice(typed.length)
      : ghostAt(place, isCareful && isStrict ? stricter(level) : level);
    const seenBefore = Math.max(0, commonPrefixLength(typed + ghost, previous.ghost) - typed.length);
    sum.wrong += ghost.length - Math.max(seenBefore, commonPrefixLength(ghost, place.wanted));
    const accepted = usable(ghost, place.wanted);
    sum.right += accepted.length;
    previous = { ghost, cursor };
    reached = accepted === '' ? 0 : cursor + accepted.length;
  }
  return sum;
}
