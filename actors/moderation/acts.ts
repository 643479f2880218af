import type { ClientSession } from "mongodb";
import type { RoomEffect } from "../../realtime/rooms/types.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Audit, Origin } from "../../store/audit.ts";
import type { Clock } from "../../store/clock.ts";
import { newId } from "../../store/ids.ts";
import type { ChannelRole } from "../../store/mongo/channel-people.ts";
import type { ModerationActionDoc, ModerationActions } from "../../store/mongo/moderation-actions.ts";
import type { ChatModesDoc, StreamDoc } from "../../store/mongo/streams.ts";
import { mayActOn, type Standing } from "../channels/roles.ts";
import type { RoomChange, RoomChanges, RoomNews } from "../channels/room-changes.ts";
import type { Standings } from "../channels/standings.ts";
import { moderationActionViews, type UsersByIds } from "./action-view.ts";

/** Who does something in which room; `by` is a user id. */
export type Moderating = { streamId: string; by: string; origin: Origin };

/** For whoever moderates the channel. */
export const ON_ROOM: Rule = { targetId: null, allows: mayActOn };

/** One act of moderation, decided: what is logged, what the room's state becomes, what everyone is told. */
export type Act = {
  log: ModerationActionDoc[];
  effects: RoomEffect[];
  events?: RoomNews[];
  modes?: ChatModesDoc;
  /** Roles that a ban takes along; acts on roles alone are known by their log entry. */
  dropped?: ChannelRole[];
};

/** An act with what its actor was in the channel when it was decided. */
type Decided = { act: Act; standing: Standing };

/** On whom (null: on the room), and what the two must be in the channel for it. */
export type Rule = {
  targetId: string | null;
  allows(actor: Standing, target: Standing): boolean;
};

type NewAction = Pick<ModerationActionDoc, "action"> &
  Partial<Pick<ModerationActionDoc, "reason" | "durationSeconds">>;

/** Acts that change a role have audit events of their own. */
const ROLE_ACTS: {
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
 * The one way in which an act is committed: change, log entry and room events together, or nothing. Rights are looked at
 * in its transaction, where each other act of the channel lies before it or after it: nobody acts by a role that was
 * taken away before, or on somebody who was given one. What was committed is told to the audit log.
 */
export function createActs(deps: {
  changes: RoomChanges;
  actions: ModerationActions;
  standings: Standings;
  usersByIds: UsersByIds;
  audit: Audit;
  clock: Clock;
}) {
  const { changes, standings, audit, clock } = deps;
  const now = () => new Date(clock.now());

  function note({ streamId, by, origin }: Moderating, { act, standing }: Decided): void {
    const actor = { userId: by, origin };
    for (const { action, targetId: accountId } of act.log) {
      const role = ROLE_ACTS[action];
      if (role) audit(role.event, actor, { streamId, accountId, role: role.role });
      else audit("moderation.acted", actor, { streamId, accountId, action, standing });
    }
    const [entry] = act.log;
    for (const role of act.dropped ?? []) {
      audit("role.revoked", actor, { streamId, accountId: entry?.targetId ?? null, role });
    }
  }

  /** Throws forbidden. */
  async function requireRight(
    stream: StreamDoc,
    { by, targetId, allows }: Rule & { by: string },
    session: ClientSession,
  ): Promise<Standing> {
    // One after the other: a session takes one command at a time.
    const standing = await standings.of(stream, by, session);
    const target = targetId === null ? null : await standings.of(stream, targetId, session);
    if (!allows(standing, target)) throw new ServiceError("forbidden");
    return standing;
  }

  async function record(
    moderating: Moderating,
    rule: Rule,
    write: (stream: StreamDoc, session: ClientSession) => Promise<Act | null>,
  ): Promise<{ stream: StreamDoc; published: boolean }> {
    // Of the run that is committed: a transaction may run more than once.
    const last: { decided: Decided | null } = { decided: null };
    const committed = await changes.commit(moderating.streamId, async (stream, session) => {
      const standing = await requireRight(stream, { ...rule, by: moderating.by }, session);
      const act = await write(stream, session);
      last.decided = act && { act, standing };
      return act ? changeOf(deps, act, session) : { news: [] };
    });
    if (last.decided) note(moderating, last.decided);
    return committed;
  }

  return {
    now,
    record,

    /**
     * Like `record`, and answers only when the act holds for every message admitted from now on; throws
     * `unavailable` when the room couldn't be told. The act is stored then, and repeating it is safe.
     */
    async enforce(...asked: Parameters<typeof record>): Promise<StreamDoc> {
      const { stream, published } = await record(...asked);
      if (!published) throw new ServiceError("unavailable", { retry_after_ms: 1_000 });
      return stream;
    },

    /** The log entry of an act by `by`, on `targetId` or, when that is null, on the room. */
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

export type Acts = ReturnType<typeof createActs>;

/**
 * What an act changes in its room; writes its log entries and tells moderators of them. Also for effects of actors,
 * inside `changeRoom`.
 */
export async function changeOf(
  { actions, usersByIds }: { actions: ModerationActions; usersByIds: UsersByIds },
  act: Act,
  session: ClientSession,
): Promise<RoomChange> {
  await actions.insert(act.log, session);
  const views = await moderationActionViews(act.log, usersByIds);
  const toModerators = views.map((data): RoomNews => ({ type: "mod.action", data }));
  const [first, ...rest] = [...(act.events ?? []), ...toModerators];
  if (!first && act.effects.length > 0) throw new Error("the room would never hear of this act");
  return {
    ...(act.modes ? { set: { modes: act.modes } } : {}),
    // The room's state changes with the first thing that it is told.
    news: first ? [{ ...first, effects: act.effects }, ...rest] : [],
  };
}
