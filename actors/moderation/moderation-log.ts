import type { ClientSession } from "mongodb";
import type { RoomStateChange } from "../../realtime/rooms/types.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Audit, Origin } from "../../store/audit.ts";
import type { Clock } from "../../store/clock.ts";
import { newId } from "../../store/ids.ts";
import type { ChannelRole } from "../../store/mongo/channel-people.ts";
import type { ModerationActionDoc, ModerationActions } from "../../store/mongo/moderation-actions.ts";
import type { ChatModesDoc, StreamDoc } from "../../store/mongo/streams.ts";
import { type ChannelRoles, type MemberRole, mayActOn } from "../channels/channel-roles.ts";
import type { RoomChange, RoomChanges, RoomNews } from "../channels/room-changes.ts";
import type { UserRow } from "../host/outbox-draft.ts";
import { moderationActionViews, type UsersByIds } from "./action-view.ts";

/** Who does something in which room; `by` is a user id. */
export type Moderating = { streamId: string; by: string; origin: Origin };

/** For all who moderate the channel. */
export const ON_ROOM: Rule = { targetId: null, allows: mayActOn };

/** A moderation action, decided: its log entries, what the room's state becomes, the events for the room. */
export type ModerationChange = {
  log: ModerationActionDoc[];
  effects: RoomStateChange[];
  events?: RoomNews[];
  /** What single users are told. */
  toUsers?: UserRow[];
  modes?: ChatModesDoc;
  /** Roles that a ban takes along; acts on roles alone are known by their log entry. */
  dropped?: ChannelRole[];
  /** As in `RoomChange`. */
  changesConfig?: true;
};

/** With what its actor was in the channel when it was decided. */
type Decided = { change: ModerationChange; actorRole: MemberRole };

/** On whom (null: on the room), and what the two must be in the channel for it. */
export type Rule = {
  targetId: string | null;
  allows(actor: MemberRole, target: MemberRole): boolean;
};

type NewAction = Pick<ModerationActionDoc, "action"> &
  Partial<Pick<ModerationActionDoc, "reason" | "durationSeconds">>;

/** Actions that change a role have audit events of their own. */
const ROLE_ACTIONS: {
  readonly [Action in ModerationActionDoc["action"]]?: {
    event: "role.granted" | "role.revoked";
    role: ChannelRole;
  };
} = {
  mod: { event: "role.granted", role: "moderator" },
  unmod: { event: "role.revoked", role: "moderator" },
  vip: { event: "role.granted", role: "vip" },
  unvip: { event: "role.revoked", role: "vip" },
};

/**
 * The one way in which a moderation action is committed: change, log entry and room events together, or nothing.
 * Rights are checked in its transaction, where each other action of the channel lies before it or after it: nobody acts
 * by a role that was taken away before, or on somebody who was given one. What was committed goes into the audit log.
 */
export function createModerationLog(deps: {
  changes: RoomChanges;
  actions: ModerationActions;
  channelRoles: ChannelRoles;
  usersByIds: UsersByIds;
  audit: Audit;
  clock: Clock;
}) {
  const { changes, channelRoles, audit, clock } = deps;
  const now = () => new Date(clock.now());

  function note({ streamId, by, origin }: Moderating, { change, actorRole }: Decided): void {
    const actor = { userId: by, origin };
    for (const { action, targetId: accountId } of change.log) {
      const role = ROLE_ACTIONS[action];
      if (role) audit(role.event, actor, { streamId, accountId, role: role.role });
      else audit("moderation.acted", actor, { streamId, accountId, action, standing: actorRole });
    }
    const [entry] = change.log;
    for (const role of change.dropped ?? []) {
      audit("role.revoked", actor, { streamId, accountId: entry?.targetId ?? null, role });
    }
  }

  /** Throws forbidden. */
  async function requireRight(
    stream: StreamDoc,
    { by, targetId, allows }: Rule & { by: string },
    session: ClientSession,
  ): Promise<MemberRole> {
    // One after the other: a session takes one command at a time.
    const actorRole = await channelRoles.roleOf(stream, by, session);
    const target = targetId === null ? null : await channelRoles.roleOf(stream, targetId, session);
    if (!allows(actorRole, target)) throw new ServiceError("forbidden");
    return actorRole;
  }

  async function record(
    moderating: Moderating,
    rule: Rule,
    write: (stream: StreamDoc, session: ClientSession) => Promise<ModerationChange | null>,
  ): Promise<{ stream: StreamDoc; published: boolean }> {
    // Of the run that is committed: a transaction may run more than once.
    const last: { decided: Decided | null } = { decided: null };
    const committed = await changes.commit(moderating.streamId, async (stream, session) => {
      const actorRole = await requireRight(stream, { ...rule, by: moderating.by }, session);
      const change = await write(stream, session);
      last.decided = change && { change, actorRole };
      return change ? changeOf(deps, change, session) : { news: [] };
    });
    if (last.decided) note(moderating, last.decided);
    return committed;
  }

  return {
    now,
    record,

    /**
     * Like `record`, and answers only when the action holds for every message admitted from now on; throws
     * `unavailable` when the room couldn't be notified. The action is stored then, and repeating it is safe.
     */
    async enforce(...action: Parameters<typeof record>): Promise<StreamDoc> {
      const { stream, published } = await record(...action);
      if (!published) throw new ServiceError("unavailable", { retry_after_ms: 1_000 });
      return stream;
    },

    /** The log entry of an action by `by`, on `targetId` or, when that is null, on the room. */
    entry(
      stream: StreamDoc,
      { by, targetId }: { by: string; targetId: string | null },
      { action, reason = null, durationSeconds = null }: NewAction,
    ): ModerationActionDoc {
      return {
        _id: newId(),
        streamId: stream._id,
        roomId: stream.roomId,
        actorId: by,
        targetId,
        action,
        reason,
        durationSeconds,
        createdAt: now(),
      };
    },
  };
}

export type ModerationLog = ReturnType<typeof createModerationLog>;

/**
 * What an action changes in its room; writes its log entries and has moderators notified of them. Also for effects of
 * actors, inside `changeRoom`.
 */
export async function changeOf(
  { actions, usersByIds }: { actions: ModerationActions; usersByIds: UsersByIds },
  change: ModerationChange,
  session: ClientSession,
): Promise<RoomChange> {
  await actions.insert(change.log, session);
  const views = await moderationActionViews(change.log, usersByIds);
  const toModerators = views.map((data): RoomNews => ({ type: "mod.action", data }));
  const [first, ...rest] = [...(change.events ?? []), ...toModerators];
  if (!first && change.effects.length > 0) throw new Error("the room would never be notified of this action");
  return {
    ...(change.modes ? { set: { modes: change.modes } } : {}),
    ...(change.changesConfig ? { changesConfig: true } : {}),
    // The room's state changes with its first event.
    news: first ? [{ ...first, effects: change.effects }, ...rest] : [],
    ...(change.toUsers ? { toUsers: change.toUsers } : {}),
  };
}
