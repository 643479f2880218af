import type { ChatEmote } from "../../../specs/contract/wire.ts";
import type { EmoteDoc } from "../../../store/mongo/emotes.ts";

/** An emote as messages use it: by name. */
export type RoomEmote = {
  id: string;
  name: string;
  url: string;
  isGlobal: boolean;
  /** Least tier of a subscription that may use it, 0 for everybody. */
  minTier: number;
};

export type EmoteSet = {
  /** The one of that name that an author of that tier may use; null without one. */
  find(name: string, tier: number): RoomEmote | null;
};

/** Of one message; those behind them are words. It then has at most some 12 KB of emotes, whatever its 500 code points are. */
const MOST_PLACED = 50;
/** The older way to write one. */
const BETWEEN_COLONS = /^:([A-Za-z0-9_]+):$/;

export const roomEmote = ({ _id, channelUserId, name, minTier, imageUrl }: EmoteDoc): RoomEmote => ({
  ...{ id: _id, name, url: imageUrl, minTier },
  isGlobal: channelUserId === null,
});

export function emoteSet(emotes: readonly RoomEmote[]): EmoteSet {
  const byName = new Map(emotes.map((emote) => [emote.name, emote]));
  return {
    find(name, tier) {
      const emote = byName.get(name);
      return emote && emote.minTier <= tier ? emote : null;
    },
  };
}

export type EmotesIn = {
  /** In their order, the first fifty. */
  placed: ChatEmote[];
  /** Words that aren't any. */
  others: string[];
};

/** Emotes are whole words between spaces. One walk over the text; positions count code points. */
export function emotesIn(content: string, find: (name: string) => RoomEmote | null): EmotesIn {
  const placed: ChatEmote[] = [];
  const others: string[] = [];
  let at = { unit: 0, point: 0 };
  for (const { 0: word, index } of content.matchAll(/\S+/g)) {
    // No space is a surrogate pair.
    const start = at.point + index - at.unit;
    const end = start + codePointsOf(word);
    at = { unit: index + word.length, point: end };
    const emote = find(word) ?? find(BETWEEN_COLONS.exec(word)?.[1] ?? "");
    if (!emote) others.push(word);
    else if (placed.length < MOST_PLACED) placed.push(placedAt(emote, start, end));
  }
  return { placed, others };
}

function placedAt({ id, name, url, isGlobal }: RoomEmote, start: number, end: number): ChatEmote {
  return { id, name, url, start_pos: start, end_pos: end, is_global: isGlobal };
}

function codePointsOf(word: string): number {
  let points = 0;
  for (const _ of word) points++;
  return points;
}
