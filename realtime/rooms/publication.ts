import { isOutsideLog } from "../../specs/contract/frames.ts";
import { type PackedEffect, publish } from "../../store/redis/scripts/publish.ts";
import { eventAround } from "./admission.ts";
import type { Control } from "./control.ts";
import { effectiveModes, packModes } from "./modes.ts";
import type { RoomStates } from "./room-state.ts";
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
  control: Control;
  nowMs: () => number | null;
}) {
  const { states, control, nowMs } = deps;

  return async function publishEvent(request: PublishRequest): Promise<PublishOutcome> {
    const { streamId, type, data, actor, effects = [] } = request;
    const forArchive = effects.flatMap(archiveEffectOf);
    const reply = await states.withState(streamId, ({ id, node }) =>
      publish(node, {
        streamId,
        source: actor,
        ...eventAround(type, streamId, data),
        append: !isOutsideLog(type),
        archiveEffects: forArchive.length === 0 ? null : JSON.stringify(forArchive),
        effects: effects.map(packed),
        runId: id,
        nowMs: nowMs(),
      }),
    );
    if (reply.kind === "stale") return { published: false, position: null };
    if (!isOutsideLog(type)) return { published: true, position: { epoch: reply.epoch, seq: reply.seq } };
    await control.publish({ type: "room.notice", streamId, event: { type, data } });
    return { published: true, position: null };
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
  if (effect.kind === "ban" && effect.untilMs === null) return [{ kind: "hide", userId: effect.userId }];
  return [];
}
