import { isOutsideLog } from "../../contract/frames.ts";
import type { Streams } from "../../store/mongo/channels/streams.ts";
import type { ChatHidden } from "../../store/mongo/chat/chat-hidden.ts";
import { ephemeralEventText } from "./control.ts";
import { encodeEvent, encodeRedactions, type Redaction } from "./event.ts";
import type { RoomStates } from "./room-state.ts";
import { publish } from "./scripts/publish.ts";
import type { PublishOutcome, PublishRequest, RoomStateChange } from "./types.ts";

/**
 * Publishes to a room what happened outside of it: effects and event atomically, each event once (idempotent).
 * Throws not_found for an unknown room, and unavailable while a store is unavailable; retrying is safe.
 */
export function createPublication(deps: {
  states: RoomStates;
  streams: Pick<Streams, "setCleared">;
  hidden: Pick<ChatHidden, "raise">;
  nowMs: () => number | null;
}) {
  const { states, streams, hidden, nowMs } = deps;

  return async function publishEvent(request: ChangeRequest): Promise<PublishOutcome> {
    const { streamId, type, data, actor, effects } = request;
    const reply = await states.withState(streamId, ({ id, node }) =>
      publish(node, {
        streamId,
        source: actor,
        ...encodeEvent(type, streamId, data),
        append: !isOutsideLog(type),
        notice: isOutsideLog(type) ? ephemeralEventText(streamId, { type, data }) : null,
        redactions: encodeRedactions(effects.flatMap(redactionsOf)),
        effects,
        runId: id,
        nowMs: nowMs(),
      }),
    );
    const position = reply.kind === "stale" ? null : { epoch: reply.epoch, seq: reply.seq };
    // Done for repeated events too: the process that published the event first may have died before this.
    if (effects.some(({ kind }) => kind === "clear")) {
      const cleared = reply.kind === "stale" ? reply.cleared : position;
      if (cleared) await streams.setCleared(streamId, cleared);
    }
    for (const userId of effects.flatMap(hiddenBy)) {
      const upTo = reply.kind === "stale" ? reply.hidden.get(userId) : position;
      if (upTo) await hidden.raise(streamId, userId, upTo);
    }
    if (position === null) return { published: false, position: null };
    return { published: true, position: isOutsideLog(type) ? null : position };
  };
}

type ChangeRequest = PublishRequest & { effects: readonly RoomStateChange[] };

function redactionsOf(effect: RoomStateChange): Redaction[] {
  if (effect.kind === "delete") return [{ kind: "delete", uuid: effect.uuid }];
  if (effect.kind === "clear") return [{ kind: "clear" }];
  return hiddenBy(effect).map((userId) => ({ kind: "hide", userId }));
}

/** Users whose messages the effect hides. */
function hiddenBy(effect: RoomStateChange): string[] {
  return effect.kind === "ban" && effect.untilMs === null ? [effect.userId] : [];
}
