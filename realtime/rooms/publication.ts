import { isOutsideLog } from "../../specs/contract/frames.ts";
import type { ChatHidden } from "../../store/mongo/chat-hidden.ts";
import type { Streams } from "../../store/mongo/streams.ts";
import { eventAround } from "./admission.ts";
import { noticeText } from "./control.ts";
import { effectiveModes, packModes } from "./modes.ts";
import type { RoomStates } from "./room-state.ts";
import { type PackedEffect, publish } from "./scripts/publish.ts";
import type { PublishOutcome, PublishRequest, RoomEffect } from "./types.ts";

/** What the archive has to repeat of an event's effects. */
export type ArchiveEffect =
  | { kind: "delete"; uuid: string }
  | { kind: "clear" }
  | { kind: "hide"; userId: string };

/**
 * Telling a room what happened outside of it: effects and event in one step, each event once.
 * Throws not_found for an unknown room, unavailable while a store is away; then it may be tried again.
 */
export function createPublication(deps: {
  states: RoomStates;
  streams: Pick<Streams, "setCleared">;
  hidden: Pick<ChatHidden, "raise">;
  nowMs: () => number | null;
}) {
  const { states, streams, hidden, nowMs } = deps;

  return async function publishEvent(request: PublishRequest): Promise<PublishOutcome> {
    const { streamId, type, data, actor, effects = [] } = request;
    const forArchive = effects.flatMap(archiveEffectOf);
    const reply = await states.withState(streamId, ({ id, node }) =>
      publish(node, {
        streamId,
        source: actor,
        ...eventAround(type, streamId, data),
        append: !isOutsideLog(type),
        notice: isOutsideLog(type) ? noticeText(streamId, { type, data }) : null,
        archiveEffects: forArchive.length === 0 ? null : JSON.stringify(forArchive),
        effects: effects.map(packed),
        runId: id,
        nowMs: nowMs(),
      }),
    );
    const position = reply.kind === "stale" ? null : { epoch: reply.epoch, seq: reply.seq };
    // Also of one that is repeated: whoever published it may have died before it came to this.
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

function packed(effect: RoomEffect): PackedEffect {
  switch (effect.kind) {
    case "modes":
      return ["modes", packModes(effectiveModes(effect.modes)), ""];
    case "ban":
      return ["ban", effect.userId, String(effect.untilMs ?? 0)];
    case "unban":
      return ["unban", effect.userId, ""];
    case "role":
      return ["role", effect.userId, effect.role ?? ""];
    case "delete":
      return ["delete", effect.uuid, ""];
    case "clear":
      return ["clear", "", ""];
  }
}

function archiveEffectOf(effect: RoomEffect): ArchiveEffect[] {
  if (effect.kind === "delete") return [{ kind: "delete", uuid: effect.uuid }];
  if (effect.kind === "clear") return [{ kind: "clear" }];
  return hiddenBy(effect).map((userId) => ({ kind: "hide", userId }));
}

/** Whose messages it hides. */
function hiddenBy(effect: RoomEffect): string[] {
  return effect.kind === "ban" && effect.untilMs === null ? [effect.userId] : [];
}
