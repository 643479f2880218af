import type { ClientSession } from "mongodb";
import type { Audit, Origin } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import type { GrantedRoles } from "../../../store/mongo/channels/channel-roles.ts";
import type { Streams } from "../../../store/mongo/channels/streams.ts";
import { badgeGrantsIn } from "../../../store/mongo/chat/badge-grants.ts";
import { moderationActionsIn } from "../../../store/mongo/chat/moderation-actions.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { changeRoom, channelSource } from "../../channels/public.ts";
import type { Outbox } from "../../host/outbox.ts";
import type { RoomRow } from "../../host/outbox-draft.ts";
import type { UsersByIds } from "./action-view.ts";
import { changeOf, ROLE_ACTIONS } from "./moderation-log.ts";

type Deps = {
  mongo: Mongo;
  streams: Streams;
  grantedRoles: GrantedRoles;
  directory: { usersByIds: UsersByIds };
  outbox: Pick<Outbox, "write" | "publish">;
  audit: Audit;
  clock: Clock;
};

type Member = { ownerId: string; userId: string };
type By = { userId: string; origin: Origin };

/** What is called after the commit: tells the room, and the audit log. */
type AfterCommit = () => Promise<void>;

/** Takes back what an owner has given a user in the channel, role and badges, when there is a block between the two. */
export function createMembershipEnd(deps: Deps) {
  const { mongo, streams, grantedRoles, directory, outbox, audit, clock } = deps;
  const grants = badgeGrantsIn(mongo.db);
  const actions = moderationActionsIn(mongo.db);

  return {
    /** In the transaction of the block. Null when the user had nothing. */
    async endIn({ ownerId, userId }: Member, by: By, session: ClientSession): Promise<AfterCommit | null> {
      const stream = await streams.findByUser(ownerId, session);
      if (!stream) return null;
      const streamId = stream._id;
      const role = await grantedRoles.roleOf(streamId, userId, session);
      const badgeIds = await grants.endOf(userId, ownerId, session);
      if (role === null && badgeIds.length === 0) return null;
      const { rows } = await changeRoom({ streamId, streams, session }, async ({ roomId }) => {
        if (role !== null) await grantedRoles.dropRole(streamId, userId, role, session);
        const entry = {
          _id: newId(),
          streamId,
          roomId,
          actorId: by.userId,
          targetId: userId,
          reason: null,
          durationSeconds: null,
          createdAt: new Date(clock.now()),
        };
        const change = {
          log: role === null ? [] : [{ ...entry, action: ROLE_ACTIONS[role].revoked }],
          effects: [
            ...(role === null ? [] : [{ kind: "role" as const, userId, role: null }]),
            { kind: "member" as const, userId },
          ],
          events: badgeIds.map(
            (badge_id): RoomRow => ({
              type: "mod.badge",
              data: { badge_id, user_id: userId, granted: false, expires_at: null },
            }),
          ),
        };
        return changeOf({ actions, usersByIds: directory.usersByIds }, change, session);
      });
      await outbox.write(rows, session);
      return async () => {
        if (role !== null) audit("role.revoked", by, { streamId, accountId: userId, role });
        await outbox.publish(channelSource(streamId));
      };
    },
  };
}
