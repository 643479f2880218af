import type { Db } from "mongodb";
import { ServiceError } from "../../../specs/contract/errors.ts";
import { badgesIn } from "../../../store/mongo/badges.ts";
import { blockedTermsIn } from "../../../store/mongo/blocked-terms.ts";
import { emotesIn } from "../../../store/mongo/emotes.ts";
import type { Streams } from "../../../store/mongo/streams.ts";
import { roomEmote } from "./emotes.ts";
import type { StoredConfig } from "./room-configs.ts";

/** Reads a room's configuration from MongoDB. Throws not_found, and as the driver does while it is unavailable. */
export function configLoader({ mongo, streams }: { mongo: Db; streams: Pick<Streams, "find"> }) {
  const terms = blockedTermsIn(mongo);
  const emotes = emotesIn(mongo);
  const badges = badgesIn(mongo);
  return async function load(streamId: string): Promise<StoredConfig> {
    // The version first: what is read after it is at least as new.
    const stream = await streams.find(streamId);
    if (!stream) throw new ServiceError("not_found");
    const [found, ownEmotes, ownBadges] = await Promise.all([
      terms.ofStream(streamId),
      emotes.ofSet(stream.userId),
      badges.ofSet(stream.userId),
    ]);
    return {
      version: stream.chatConfigVersion ?? 0,
      terms: found.map(({ term, isRegex, action }) => ({ term, isRegex, action })),
      emotes: ownEmotes.map(roomEmote),
      badges: ownBadges.map(({ _id }) => _id),
    };
  };
}
