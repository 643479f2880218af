import type { Db } from "mongodb";
import { ServiceError } from "../../../contract/errors.ts";
import type { Streams } from "../../../store/mongo/channels/streams.ts";
import { badgesIn } from "../../../store/mongo/chat/badges.ts";
import { blockedTermsIn } from "../../../store/mongo/chat/blocked-terms.ts";
import { emotesIn } from "../../../store/mongo/chat/emotes.ts";
import { roomEmote } from "./emotes.ts";
import type { StoredConfig } from "./room-configs.ts";

/** Loads a room's configuration from MongoDB. Throws not_found, and the driver's errors while MongoDB is unavailable. */
export function configLoader({ mongo, streams }: { mongo: Db; streams: Pick<Streams, "find"> }) {
  const terms = blockedTermsIn(mongo);
  const emotes = emotesIn(mongo);
  const badges = badgesIn(mongo);
  return async function load(streamId: string): Promise<StoredConfig> {
    // The version is read first, so that the rest is at least as new as it.
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
