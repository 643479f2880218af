import { type ActorState, refuse, type Translation } from "../host/definition.ts";
import type { LiveStreamContext, LiveStreamEvent } from "./machine.ts";
import type { LiveStreamCommand, LiveStreamReads } from "./types.ts";

type Scope = { state: ActorState<LiveStreamContext>; reads: LiveStreamReads; at: Date };

/** Who may publish: the key of now, an owner in good standing, and nobody else connected. */
export function toEvent(
  command: LiveStreamCommand,
  { state, reads, at }: Scope,
): Translation<LiveStreamEvent> {
  const stamp = at.getTime();
  if (command.type !== "published") return { ok: true, event: { ...command, at: stamp } };

  const { clientId, sessionId, keyHash } = command;
  // Asked again here, since the key may have been rotated after the hook was matched with its stream.
  if (reads.stream?.streamKeyHash !== keyHash || reads.owner?.status !== "active")
    return refuse("stream_key_refused");
  const connected = state.context.clientId;
  if (connected !== null && connected !== clientId) return refuse("publisher_connected");
  return { ok: true, event: { type: "published", clientId, sessionId, at: stamp } };
}
