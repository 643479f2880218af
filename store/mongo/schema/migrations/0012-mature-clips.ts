import { streamsCollection } from "../../channels/streams.ts";
import { clipsCollection } from "../../live/clips.ts";
import type { Migration } from "./migration.ts";

/** Clips of channels that are for mature audiences now. Those that workers of the previous release make meanwhile aren't marked. */
export const matureClips: Migration = {
  number: 12,
  name: "mature clips",
  contracts: false,
  async run(db) {
    const mature = streamsCollection.in(db).find({ isMature: true }, { projection: { userId: 1 } });
    for await (const { userId } of mature)
      await clipsCollection
        .in(db)
        .updateMany({ channelUserId: userId, isMature: { $exists: false } }, { $set: { isMature: true } });
  },
};
