import type { ClientSession } from "mongodb";
import type { Actor, Audit, Origin } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import type { Log } from "../../../base/log.ts";
import { ServiceError, unavailable } from "../../../contract/errors.ts";
import type { RoomStateChange } from "../../../realtime/rooms/types.ts";
import type { ChannelRole } from "../../../store/mongo/channels/channel-roles.ts";
import type { PinDoc, StreamDoc } from "../../../store/mongo/channels/streams.ts";
import type { ModerationActionDoc, ModerationActions } from "../../../store/mongo/chat/moderation-actions.ts";
import type { ChatModesDoc } from "../../../store/mongo/host/chat-modes.ts";
import type { StaffLogDoc, StaffLogRows } from "../../../store/mongo/safety/staff-log.ts";
import { staffLogRow } from "../../accounts/public.ts";
import type { RoomChange, RoomChanges } from "../../channels/public.ts";
import { type ChannelRoles, type MemberRole, mayActOn, type TargetRole } from "../../channels/public.ts";
import type { RoomRow, UserRow } from "../../host/outbox-draft.ts";
import { moderationActionViews, type UsersByIds } from "./action-view.ts";
import type { CommandNonces } from "./command-nonces.ts";

/** The acting user and the room; `by` is a user id. An action with a known `nonce` has been committed, and isn't again. */
export type ModeratorRequest = { streamId: string; by: string; origin: Origin; nonce?: string | null };

/** Allows everyone who moderates the channel; there is no target user. */
export const ROOM_RULE: Rule = { targetId: null, allows: mayActOn };

/** The outcome of a moderation action: its log entries, the changes of the room's state, and the room's events. */
export type ModerationChange = {
  log: ModerationActionDoc[];
  effects: RoomStateChange[];
  events?: RoomRow[];
  /** Events for single users. */
  toUsers?: UserRow[];
  modes?: ChatModesDoc;
  takesUnbanRequests?: boolean;
  /** Null removes it. */
  pin?: PinDoc | null;
  /** Roles that a ban removes; actions on roles alone are recognized by their log entry. */
  dropped?: ChannelRole[];
  /** As in `RoomChange`. */
  changesConfig?: true;
};

/** `actorRole` is the actor's role in the channel at the time of the decision. */
type Decided = { change: ModerationChange; actorRole: MemberRole };

/** The target (null: the room), and which roles of actor and target in the channel allow the action. */
export type Rule = {
  targetId: string | null;
  allows(actor: MemberRole, target: TargetRole): boolean;
};

type NewAction = Pick<ModerationActionDoc, "action"> &
  Partial<Pick<ModerationActionDoc, "reason" | "durationSeconds">>;

/** The actions that grant and revoke a role. */
export const ROLE_ACTIONS = {
  moderator: { granted: "mod", revoked: "unmod" },
  vip: { granted: "vip", revoked: "unvip" },
} as const satisfies Record<
  ChannelRole,
  { granted: ModerationActionDoc["action"]; revoked: ModerationActionDoc["action"] }
>;

/** Actions that change a role have audit events of their own. */
function roleChangeOf(action: ModerationActionDoc["action"]) {
  for (const role of ["moderator", "vip"] as const) {
    if (action === ROLE_ACTIONS[role].granted) return { event: "role.granted", role } as const;
    if (action === ROLE_ACTIONS[role].revoked) return { event: "role.revoked", role } as const;
  }
  return null;
}

/**
 * The only way to commit a moderation action: change, log entry and room events are one transaction. Permissions are checked
 * inside it, serialized with all other actions of the channel: nobody acts with a role that was revoked before, or on a user who
 * was granted one before. Committed actions go to the audit log; those of staff have a row in the staff log, by whatever way they came.
 */
export function createModerationLog(deps: {
  changes: RoomChanges;
  actions: ModerationActions;
  channelRoles: ChannelRoles;
  usersByIds: UsersByIds;
  nonces: CommandNonces;
  staffLog: Pick<StaffLogRows, "insert">;
  audit: Audit;
  clock: Clock;
  log: Log;
}) {
  const { changes, channelRoles, nonces, staffLog, audit, clock, log } = deps;
  const now = () => new Date(clock.now());

  function writeAudit({ streamId, by, origin }: ModeratorRequest, { change, actorRole }: Decided): void {
    const actor = { userId: by, origin };
    for (const { action, targetId: accountId } of change.log) {
      const ofRole = roleChangeOf(action);
      if (ofRole) audit(ofRole.event, actor, { streamId, accountId, role: ofRole.role });
      else audit("moderation.acted", actor, { streamId, accountId, action, standing: actorRole });
    }
    const [entry] = change.log;
    for (const role of change.dropped ?? []) {
      audit("role.revoked", actor, { streamId, accountId: entry?.targetId ?? null, role });
    }
  }

  /** In the transaction of the act, so that none is without its row. */
  async function insertStaffRows(
    { by, origin }: ModeratorRequest,
    { change, actorRole }: Decided,
    session: ClientSession,
  ): Promise<void> {
    if (actorRole !== "staff") return;
    await staffLog.insert(
      change.log.flatMap((entry) => staffRowOf(entry, { userId: by, origin }) ?? []),
      session,
    );
  }

  /** Throws `forbidden` unless the rule allows the act; the log line has both roles, which the answer hides. */
  async function requirePermission(
    stream: StreamDoc,
    { by, origin: { requestId } }: Pick<ModeratorRequest, "by" | "origin">,
    { targetId, allows }: Rule,
    session?: ClientSession,
  ): Promise<MemberRole> {
    // Sequentially: a session takes one command at a time.
    const actorRole = await channelRoles.roleOf(stream, by, session);
    const targetRole = targetId === null ? null : await channelRoles.roleAsTarget(stream, targetId, session);
    if (!allows(actorRole, targetRole)) {
      const roles = { actorRole, targetRole };
      log.info({ streamId: stream._id, by, targetId, ...roles, requestId }, "an act isn't allowed");
      throw new ServiceError("forbidden");
    }
    return actorRole;
  }

  async function record(
    moderating: ModeratorRequest,
    rule: Rule,
    write: (stream: StreamDoc, session: ClientSession) => Promise<ModerationChange | null>,
  ): Promise<{ stream: StreamDoc; published: boolean }> {
    // A transaction may run more than once: the last run, which is the one committed, counts.
    const lastRun: { decided: Decided | null } = { decided: null };
    const committed = await changes.commit(moderating.streamId, async (stream, session) => {
      const actorRole = await requirePermission(stream, moderating, rule, session);
      const change = (await nonces.take(moderating, session)) ? await write(stream, session) : null;
      lastRun.decided = change && { change, actorRole };
      if (lastRun.decided) await insertStaffRows(moderating, lastRun.decided, session);
      return change ? changeOf(deps, change, session) : { events: [] };
    });
    if (lastRun.decided) writeAudit(moderating, lastRun.decided);
    return committed;
  }

  return {
    now,
    record,
    requirePermission,

    /**
     * Like `record`, but resolves only when the action applies to every message admitted from now on. Throws `unavailable` when
     * the room couldn't be notified; the action is stored then, and retrying is safe.
     */
    async enforce(...action: Parameters<typeof record>): Promise<StreamDoc> {
      const { stream, published } = await record(...action);
      if (!published) throw unavailable();
      return stream;
    },

    /** The log entry of an action by `by` on `targetId`, or on the room when that is null. */
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

/** The row of the staff log for what somebody did in a channel by being staff. */
export function staffRowOf(entry: ModerationActionDoc, by: Actor): StaffLogDoc | null {
  const { _id, streamId, targetId: accountId, action, createdAt } = entry;
  const fields = { streamId, accountId, action, standing: "staff" };
  return staffLogRow({ _id, event: "moderation.acted", by, fields }, createdAt);
}

/**
 * Writes an action's log entries and returns its change of the room, with events that notify moderators of the entries. Also
 * used for effects of actors, inside `changeRoom`.
 */
export async function changeOf(
  { actions, usersByIds }: { actions: ModerationActions; usersByIds: UsersByIds },
  change: ModerationChange,
  session: ClientSession,
): Promise<RoomChange> {
  await actions.insert(change.log, session);
  const views = await moderationActionViews(change.log, usersByIds);
  const toModerators = views.map((data): RoomRow => ({ type: "mod.action", data }));
  const [first, ...rest] = [...(change.events ?? []), ...toModerators];
  if (!first && change.effects.length > 0) throw new Error("the room would never be notified of this action");
  return {
    ...fieldsOf(change),
    ...(change.changesConfig ? { changesConfig: true } : {}),
    // The first event carries the changes of the room's state.
    events: first ? [{ ...first, effects: change.effects }, ...rest] : [],
    ...(change.toUsers ? { toUsers: change.toUsers } : {}),
  };
}

function fieldsOf({ modes, takesUnbanRequests, pin }: ModerationChange): Pick<RoomChange, "set"> {
  const set = {
    ...(modes ? { modes } : {}),
    ...(takesUnbanRequests === undefined ? {} : { takesUnbanRequests }),
    ...(pin === undefined ? {} : { pin }),
  };
  return Object.keys(set).length === 0 ? {} : { set };
}
