import type { ChatEmote } from "../../contract/wire.ts";
import { emotesIn } from "./config/emotes.ts";
import type { GlobalSets } from "./config/global-sets.ts";
import { type Member, unpackFacts } from "./config/members.ts";
import type { RoomConfig } from "./config/room-configs.ts";
import type { RoomText } from "./config/room-text.ts";
import type { TermVerdict } from "./config/terms.ts";
import { displayedBadges } from "./config/worn-badges.ts";
import { isEmoji, textHash } from "./text.ts";

/** Owners can use all emotes of their channel. */
const OWNERS_TIER = 3;

/** Properties of a text that depend on nothing else. */
type MessageText = {
  /** Hash of the text as it is seen, by which an author's repeats are known. */
  textHash: string;
  /** Hash of the text as unique chat compares it: without case too. */
  normalisedHash: string;
  hasLink: boolean;
};

/** The result of checking a text with a room's configuration, for this author. */
export type CheckedText = {
  emotes: ChatEmote[];
  emotesOnly: boolean;
  verdict: TermVerdict | null;
  /** Ids of the badges that the author displays. */
  badges: string[];
};

export function messageTextOf({ seen, unique, hasLink }: RoomText): MessageText {
  const seenHash = textHash(seen);
  return {
    textHash: seenHash,
    normalisedHash: unique === seen ? seenHash : textHash(unique),
    hasLink,
  };
}

export function checkText(
  text: RoomText,
  { config, globals }: { config: RoomConfig; globals: GlobalSets },
  { isBot, role, facts: packed }: Member & { isBot: boolean },
): CheckedText {
  const facts = unpackFacts(packed);
  const tier = role === "owner" ? OWNERS_TIER : facts.tier;
  const { placed, others } = emotesIn(
    text.content,
    (name) => config.emotes.find(name, tier) ?? globals.emotes.find(name, tier),
  );
  return {
    emotes: placed,
    emotesOnly: others.every(isEmoji),
    verdict: config.terms.check(text, { isEmailVerified: facts.isEmailVerified }),
    badges: displayedBadges({ isBot, role, facts }, (id) => config.badges.has(id) || globals.badges.has(id)),
  };
}
