import type { ChatEmote } from "../../specs/contract/wire.ts";
import { emotesIn } from "./config/emotes.ts";
import type { GlobalSets } from "./config/global-sets.ts";
import { hasLink } from "./config/links.ts";
import { factsIn, type Member } from "./config/members.ts";
import type { RoomConfig } from "./config/room-configs.ts";
import type { TermVerdict } from "./config/terms.ts";
import { wornBadges } from "./config/worn-badges.ts";
import { isEmoji, normalised, textHash } from "./text.ts";

/** All emotes of a channel are its owner's. */
const OWNERS_TIER = 3;

/** What a text is, by itself. */
export type MessageText = {
  textHash: string;
  /** Of the text as unique chat compares it. */
  normalisedHash: string;
  hasLink: boolean;
};

/** What a room's configuration makes of it, said by this member. */
export type CheckedText = {
  emotes: ChatEmote[];
  emotesOnly: boolean;
  verdict: TermVerdict | null;
  /** Ids of those that its author wears. */
  badges: string[];
};

export function textOf(content: string): MessageText {
  const same = normalised(content);
  const contentHash = textHash(content);
  return {
    textHash: contentHash,
    normalisedHash: same === content ? contentHash : textHash(same),
    hasLink: hasLink(content),
  };
}

export function checkText(
  content: string,
  { config, globals }: { config: RoomConfig; globals: GlobalSets },
  { isBot, role, facts: packed }: Member & { isBot: boolean },
): CheckedText {
  const facts = factsIn(packed);
  const tier = role === "owner" ? OWNERS_TIER : facts.tier;
  const { placed, others } = emotesIn(
    content,
    (name) => config.emotes.find(name, tier) ?? globals.emotes.find(name, tier),
  );
  return {
    emotes: placed,
    emotesOnly: others.every(isEmoji),
    verdict: config.terms.check(content, { isEmailVerified: facts.isEmailVerified }),
    badges: wornBadges({ isBot, role, facts }, (id) => config.badges.has(id) || globals.badges.has(id)),
  };
}
