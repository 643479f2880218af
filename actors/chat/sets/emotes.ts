import type { Clock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { ChatEmote } from "../../../contract/wire.ts";
import { type EmoteDoc, emotesIn, MAX_EMOTES } from "../../../store/mongo/chat/emotes.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { Pictures } from "../../channels/public.ts";
import type { SetAdditions } from "./set-additions.ts";
import { type ChatSet, ownerOf, type SetChanges } from "./set-changes.ts";

type NewEmote = Pick<EmoteDoc, "name" | "minTier"> & { bytes: Buffer; key?: string | null };

type Deps = {
  mongo: Mongo;
  changeSet: SetChanges;
  addToSet: SetAdditions;
  pictures: Pick<Pictures, "put" | "show" | "drop">;
  clock: Clock;
};

/** Emotes of channels, and global ones. */
export function createEmoteSets({ mongo, changeSet, addToSet, pictures, clock }: Deps) {
  const emotes = emotesIn(mongo.db);
  return {
    /** Sorted by name; null for the global ones. */
    list: (channelUserId: string | null) => emotes.ofSet(channelUserId),

    /** Throws `limit_reached`, `emote_name_taken`, `idempotency_conflict`, and errors of the picture. */
    async add(set: ChatSet, { name, minTier, bytes, key = null }: NewEmote): Promise<EmoteDoc> {
      const channelUserId = ownerOf(set);
      const { file, url: imageUrl } = await pictures.put(channelUserId, "emote", bytes);
      const createdAt = new Date(clock.now());
      const emote = { _id: newId(), channelUserId, name, minTier, imageUrl, file, createdAt };
      return addToSet(
        set,
        "emotes",
        { key, bytes, more: { name, minTier } },
        {
          async make(session) {
            const others = await emotes.ofSet(channelUserId, session);
            if (others.length >= MAX_EMOTES) throw new ServiceError("limit_reached", { limit: MAX_EMOTES });
            if (others.some((other) => other.name === name)) throw new ServiceError("emote_name_taken");
            await emotes.insert(emote, session);
            await pictures.show(file, session);
            return emote;
          },
          find: (id, session) => emotes.find(id, channelUserId, session),
          line: (note, staff) => note("emote.added", staff, { emoteId: emote._id }),
        },
      );
    },

    /** New messages can't contain it any more. Throws `not_found`. */
    remove: (set: ChatSet, emoteId: string): Promise<void> =>
      changeSet(set, async (session) => {
        const emote = await emotes.remove(emoteId, ownerOf(set), session);
        if (!emote) throw new ServiceError("not_found");
        await pictures.drop(emote.file, session);
        return { room: "emotes", line: (note, staff) => note("emote.removed", staff, { emoteId }) };
      }),
  };
}

export function emoteView({ _id, channelUserId, name, minTier, imageUrl }: EmoteDoc): ChatEmote {
  return { id: _id, name, url: imageUrl, is_global: channelUserId === null, min_tier: minTier };
}
