import type { ClientSession } from "mongodb";
import type { RoomEffect } from "../../realtime/rooms/types.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import { newId } from "../../store/ids.ts";
import type { ModerationActionDoc, ModerationActions } from "../../store/mongo/moderation-actions.ts";
import type { ChatModesDoc, StreamDoc } from "../../store/mongo/streams.ts";
import type { RoomChanges, RoomNews } from "../channels/room-changes.ts";

/** One act of moderation, decided: what is logged, what the room's state becomes, what everyone is told. */
export type Act = {
  log: ModerationActionDoc[];
  effects: RoomEffect[];
  events?: RoomNews[];
  modes?: ChatModesDoc;
};

type NewAction = Pick<ModerationActionDoc, "action"> &
  Partial<Pick<ModerationActionDoc, "reason" | "durationSeconds">>;

/** The one way in which an act is committed: change, log entry and room events together, or nothing. */
export function createActs(deps: { changes: RoomChanges; actions: ModerationActions; clock: Clock }) {
  const { changes, actions, clock } = deps;
  const now = () => new Date(clock.now());

  async function record(
    streamId: string,
    write: (stream: StreamDoc, session: ClientSession) => Promise<Act | null>,
  ): Promise<{ stream: StreamDoc; published: boolean }> {
    return changes.commit(streamId, async (stream, session) => {
      const act = await write(stream, session);
      if (!act) return { news: [] };
      await actions.insert(act.log, session);
      const [first, ...rest] = [...(act.events ?? []), ...act.log.map(toModerators)];
      return {
        ...(act.modes ? { set: { modes: act.modes } } : {}),
        // The room's state changes with the first thing that it is told.
        news: first ? [{ ...first, effects: act.effects }, ...rest] : [],
      };
    });
  }

  return {
    now,
    record,

    /**
     * Like `record`, and answers only when the act holds for every message admitted from now on; throws
     * `unavailable` when the room couldn't be told. The act is stored then, and repeating it is safe.
     */
    async enforce(...[streamId, write]: Parameters<typeof record>): Promise<StreamDoc> {
      const { stream, published } = await record(streamId, write);
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

/** Every act is told to the room's moderators. */
function toModerators(entry: ModerationActionDoc): RoomNews {
  return {
    type: "mod.action",
    data: {
      id: entry._id,
      action: entry.action,
      actor_id: entry.actorId,
      target_id: entry.targetId,
      reason: entry.reason,
      duration_seconds: entry.durationSeconds,
      created_at: entry.createdAt.toISOString(),
    },
  };
}
