import type { ChatEmote } from "../../../contract/wire.ts";
import type { EmoteDoc } from "../../../store/mongo/chat/emotes.ts";

/** An emote as messages refer to it: by name. */
export type RoomEmote = {
  id: string;
  name: string;
  url: string;
  isGlobal: boolean;
  /** Lowest subscription tier that may use it, 0 for everybody. */
  minTier: number;
};

export type EmoteSet = {
  /** The emote of that name if an author of that tier may use it, else null. */
  find(name: string, tier: number): RoomEmote | null;
};

/** Per message; later ones stay words. It bounds a message's emotes to about 12 KB, whatever its 500 code points are. */
const MAX_PLACED = 50;
/** The older syntax, `:name:`. */
const BETWEEN_COLONS = /^:([A-Za-z0-9_]+):$/;

export const roomEmote = ({ _id, channelUserId, name, minTier, imageUrl }: EmoteDoc): RoomEmote => ({
  id: _id,
  name,
  url: imageUrl,
  minTier,
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

type EmotesIn = {
  /** In text order, at most the first fifty. */
  placed: ChatEmote[];
  /** Words that aren't emotes. */
  others: string[];
};

/** Emotes are whole words between spaces. One pass over the text; positions count code points. */
export function emotesIn(content: string, find: (name: string) => RoomEmote | null): EmotesIn {
  const placed: ChatEmote[] = [];
  const others: string[] = [];
  let at = { unit: 0, point: 0 };
  for (const { 0: word, index } of content.matchAll(/\S+/g)) {
    // Spaces are never surrogate pairs, so between words units and code points are the same number.
    const start = at.point + index - at.unit;
    const end = start + codePointsOf(word);
    at = { unit: index + word.length, point: end };
    const emote = find(word) ?? find(BETWEEN_COLONS.exec(word)?.[1] ?? "");
    if (!emote) others.push(word);
    else if (placed.length < MAX_PLACED) placed.push(placedAt(emote, start, end));
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
