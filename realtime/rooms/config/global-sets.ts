import type { Db } from "mongodb";
import type { Log } from "../../../store/log.ts";
import { type BadgeDoc, badgesIn } from "../../../store/mongo/badges.ts";
import { emotesIn } from "../../../store/mongo/emotes.ts";
import { globalSetIn } from "../../../store/mongo/global-set.ts";
import { createPolling } from "../../../store/polling.ts";
import { type EmoteSet, emoteSet, roomEmote } from "./emotes.ts";

/** Staff's emotes and badges, which all rooms have. */
export type GlobalSets = { emotes: EmoteSet; badges: ReadonlyMap<string, BadgeDoc> };

const POLL_MS = 1_000;

/**
 * Each worker polls their version, and reads them when it has changed: a change holds everywhere within two seconds. It needn't
 * hold sooner, and no room's configuration changes with it. Without MongoDB they stay as they were.
 */
export function createGlobalSets({ mongo, log }: { mongo: Db; log: Log }) {
  const [set, emotes, badges] = [globalSetIn(mongo), emotesIn(mongo), badgesIn(mongo)];
  let version = 0;
  let current: GlobalSets = { emotes: emoteSet([]), badges: new Map() };

  async function poll(): Promise<void> {
    // The version first: what is read after it is at least as new.
    const newest = await set.version();
    if (newest === version) return;
    const [globalEmotes, globalBadges] = await Promise.all([emotes.ofSet(null), badges.ofSet(null)]);
    version = newest;
    current = {
      emotes: emoteSet(globalEmotes.map(roomEmote)),
      badges: new Map(globalBadges.map((badge) => [badge._id, badge])),
    };
  }

  const polling = createPolling({
    everyMs: POLL_MS,
    poll,
    onFailed: (err) => log.warn({ err }, "global emotes and badges can't be followed; rooms have older ones"),
  });

  return { current: () => current, start: polling.start, stop: polling.stop };
}
