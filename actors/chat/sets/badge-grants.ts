import type { Clock } from "../../../base/clock.ts";
import { invalid, ServiceError } from "../../../contract/errors.ts";
import type { UserBadge } from "../../../contract/wire.ts";
import { isGone } from "../../../store/mongo/accounts/account-status.ts";
import { blocksIn } from "../../../store/mongo/channels/blocks.ts";
import { type BadgeGrantDoc, badgeGrantsIn, MAX_GRANTS } from "../../../store/mongo/chat/badge-grants.ts";
import { type BadgeDoc, badgesIn } from "../../../store/mongo/chat/badges.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { countersIn } from "../../../store/mongo/driver/counters.ts";
import type { Range } from "../../../store/mongo/driver/page.ts";
import type { Directory } from "../../accounts/public.ts";
import type { RoomRow } from "../../host/outbox-draft.ts";
import { badgeView } from "./badge-view.ts";
import { type ChatSet, ownerOf, type SetChanges } from "./set-changes.ts";

/** The badge, and the user who may wear it. */
type GrantOf = { badgeId: string; userId: string };

type Granted = { badge: BadgeDoc; grant: BadgeGrantDoc };

type Deps = {
  mongo: Mongo;
  changeSet: SetChanges;
  directory: Pick<Directory, "requireUser">;
  clock: Clock;
};

/**
 * Grants of badges to users: owners grant their channel's badges, staff grant global ones. A change applies to the next
 * message in the channel.
 */
export function createBadgeGrants({ mongo, changeSet, directory, clock }: Deps) {
  const badges = badgesIn(mongo.db);
  const grants = badgeGrantsIn(mongo.db);
  const blocks = blocksIn(mongo.db);
  const counters = countersIn(mongo.db);

  return {
    /** Repeating a grant replaces its expiry. Throws `not_found`, `blocked`, `limit_reached`, `validation_failed` for a past expiry. */
    async grant(set: ChatSet, { badgeId, userId }: GrantOf, expiresAt: Date | null): Promise<UserBadge> {
      const grantedAt = new Date(clock.now());
      if (expiresAt && expiresAt <= grantedAt) throw inThePast();
      if (isGone(await directory.requireUser(userId))) throw new ServiceError("not_found");
      const channelUserId = ownerOf(set);
      const _id = await counters.take("badge_grants");
      const granted: Granted[] = [];
      await changeSet(set, async (session) => {
        const badge = await badges.find(badgeId, channelUserId, session);
        if (!badge) throw new ServiceError("not_found");
        const isApart =
          channelUserId !== null && !(await blocks.lockIfNeitherBlocks(channelUserId, userId, session));
        if (isApart) throw new ServiceError("blocked");
        const before = await grants.find(badgeId, userId, session);
        const grant = before
          ? { ...before, expiresAt }
          : { _id, badgeId, channelUserId, userId, grantedAt, expiresAt };
        if (before) await grants.setExpiry(before._id, expiresAt, session);
        else {
          const others = await grants.count(badgeId, session);
          if (others >= MAX_GRANTS) throw new ServiceError("limit_reached", { limit: MAX_GRANTS });
          await grants.insert(grant, session);
        }
        granted.push({ badge, grant });
        return {
          room: grantEvent({ badgeId, userId }, { granted: true, expiresAt }),
          line: (note, staff) => note("badge.granted", staff, { badgeId, accountId: userId }),
        };
      });
      // The last attempt is the one that was committed.
      return grantView(required(granted.at(-1)));
    },

    /** Throws `not_found`. */
    revoke: (set: ChatSet, { badgeId, userId }: GrantOf): Promise<void> =>
      changeSet(set, async (session) => {
        const badge = await badges.find(badgeId, ownerOf(set), session);
        if (!badge || !(await grants.remove(badgeId, userId, session))) throw new ServiceError("not_found");
        return {
          room: grantEvent({ badgeId, userId }, { granted: false, expiresAt: null }),
          line: (note, staff) => note("badge.revoked", staff, { badgeId, accountId: userId }),
        };
      }),

    /** A user's grants in all channels, the newest first. */
    async pageOf(userId: string, range: Range) {
      const page = await grants.pageOf(userId, new Date(clock.now()), range);
      const found = await badges.findMany(page.items.map(({ badgeId }) => badgeId));
      const byId = new Map(found.map((badge) => [badge._id, badge]));
      const items = page.items.flatMap((grant) => {
        // The badge may have been deleted since the grants were read.
        const badge = byId.get(grant.badgeId);
        return badge ? [grantView({ badge, grant })] : [];
      });
      return { ...page, items };
    },
  };
}

function grantEvent(
  { badgeId, userId }: GrantOf,
  how: { granted: boolean; expiresAt: Date | null },
): RoomRow {
  const { granted, expiresAt } = how;
  const data = { badge_id: badgeId, user_id: userId, granted, expires_at: expiresAt?.toISOString() ?? null };
  return { type: "mod.badge", data, effects: [{ kind: "member", userId }] };
}

function grantView({ badge, grant }: Granted): UserBadge {
  return {
    id: grant._id,
    user_id: grant.userId,
    badge_id: grant.badgeId,
    granted_at: grant.grantedAt.toISOString(),
    expires_at: grant.expiresAt?.toISOString() ?? null,
    badge: badgeView(badge),
  };
}

const inThePast = () =>
  invalid({ path: "/body/expires_at", rule: "future", message: "must be in the future" });

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("a commit wrote nothing");
  return value;
}
