import type { Db } from "mongodb";
import type { Log } from "../../../base/log.ts";
import { createPolling } from "../../../base/polling.ts";
import { type BadgeDoc, badgesIn } from "../../../store/mongo/chat/badges.ts";
import { emotesIn } from "../../../store/mongo/chat/emotes.ts";
import { globalSetIn } from "../../../store/mongo/driver/global-set.ts";
import { type EmoteSet, emoteSet, roomEmote } from "./emotes.ts";

/** Global emotes and badges, made by staff and available in all rooms. */
export type GlobalSets = { emotes: EmoteSet; badges: ReadonlyMap<string, BadgeDoc> };

const POLL_MS = 1_000;

/**
 * Each worker polls their version and reloads them when it has changed: a change is visible everywhere within two seconds. It
 * needn't be sooner, and no room's configuration version changes with it. While MongoDB is unavailable the old ones stay.
 */
export function createGlobalSets({ mongo, log }: { mongo: Db; log: Log }) {
  const [set, emotes, badges] = [globalSetIn(mongo), emotesIn(mongo), badgesIn(mongo)];
  let version = 0;
  let current: GlobalSets = { emotes: emoteSet([]), badges: new Map() };

  async function poll(): Promise<void> {
    // The version is read first, so that the sets are at least as new as it.
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
    what: "polling of global emotes and badges",
    log,
  });

  return { current: () => current, start: polling.start, stop: polling.stop };
}
