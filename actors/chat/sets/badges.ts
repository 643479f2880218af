import type { ClientSession } from "mongodb";
import type { Clock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { badgeGrantsIn } from "../../../store/mongo/chat/badge-grants.ts";
import { type BadgeDoc, badgesIn, MAX_BADGES } from "../../../store/mongo/chat/badges.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { Pictures } from "../../channels/public.ts";
import { badgeSkeleton, mixesScripts } from "./badge-names.ts";
import { builtInBadges } from "./built-in-badges.ts";
import type { SetAdditions } from "./set-additions.ts";
import { type ChatSet, ownerOf, type SetChanges } from "./set-changes.ts";

type NewBadge = Pick<BadgeDoc, "type" | "name" | "color"> & { bytes: Buffer; key?: string | null };

type Deps = {
  mongo: Mongo;
  changeSet: SetChanges;
  addToSet: SetAdditions;
  pictures: Pick<Pictures, "put" | "show" | "drop">;
  publicUrl: string;
  clock: Clock;
};

/** Badges of channels, and global ones managed by staff. */
export function createBadgeSets({ mongo, changeSet, addToSet, pictures, publicUrl, clock }: Deps) {
  const badges = badgesIn(mongo.db);
  const grants = badgeGrantsIn(mongo.db);
  const builtIn = builtInBadges(publicUrl);

  /** A channel's badge may not be taken for one that means the same in all rooms. Throws `badge_name_reserved`. */
  async function requireOwnName(name: string, session: ClientSession): Promise<void> {
    if (mixesScripts(name)) throw new ServiceError("badge_name_reserved");
    const reserved = [...builtIn, ...(await badges.ofSet(null, session))];
    const skeleton = badgeSkeleton(name);
    if (reserved.some((badge) => badgeSkeleton(badge.name) === skeleton))
      throw new ServiceError("badge_name_reserved");
  }

  return {
    /** Badges of roles and subscriptions. */
    builtIn,
    /** The oldest first; null for the global ones. */
    list: (channelUserId: string | null) => badges.ofSet(channelUserId),

    /** Throws `limit_reached`, `badge_name_reserved`, `idempotency_conflict`, and errors of the picture. */
    async add(set: ChatSet, { type, name, color, bytes, key = null }: NewBadge): Promise<BadgeDoc> {
      const channelUserId = ownerOf(set);
      const { file, url: imageUrl } = await pictures.put(channelUserId, "badge", bytes);
      const createdAt = new Date(clock.now());
      const badge = { _id: newId(), type, channelUserId, name, color, imageUrl, file, createdAt };
      return addToSet(
        set,
        "badges",
        { key, bytes, more: { type, name, color } },
        {
          async make(session) {
            const others = await badges.ofSet(channelUserId, session);
            if (others.length >= MAX_BADGES) throw new ServiceError("limit_reached", { limit: MAX_BADGES });
            if (channelUserId !== null) await requireOwnName(name, session);
            await badges.insert(badge, session);
            await pictures.show(file, session);
            return badge;
          },
          find: (id, session) => badges.find(id, channelUserId, session),
          line: (note, staff) => note("badge.added", staff, { badgeId: badge._id }),
        },
      );
    },

    /** Removes a badge with all its grants. Throws `not_found`. */
    remove: (set: ChatSet, badgeId: string): Promise<void> =>
      changeSet(set, async (session) => {
        const badge = await badges.remove(badgeId, ownerOf(set), session);
        if (!badge) throw new ServiceError("not_found");
        await grants.removeOf(badgeId, session);
        await pictures.drop(badge.file, session);
        return { room: "badges", line: (note, staff) => note("badge.removed", staff, { badgeId }) };
      }),
  };
}
