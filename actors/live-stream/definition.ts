import type { Db } from "mongodb";
import { broadcastsIn } from "../../store/mongo/broadcasts.ts";
import { streamsIn } from "../../store/mongo/streams.ts";
import { usersIn } from "../../store/mongo/users.ts";
import type { ActorState } from "../host/actor-types.ts";
import { type ActorDefinition, type Decision, refuse } from "../host/definition.ts";
import { publicStatus } from "../host/public-status.ts";
import { sameFormat } from "../host/with-context.ts";
import {
  LIVE_STREAM_STATUSES,
  type LiveStreamReads,
  type LiveStreamTypes,
  liveStreamEffects,
} from "./effects.ts";
import {
  LIVE_STREAM_VERSION,
  type LiveStreamCommand,
  type LiveStreamContext,
  type LiveStreamEvent,
  liveStreamCommands,
  liveStreamContext,
  liveStreamInput,
  liveStreamMachine,
} from "./machine.ts";

import { withMedia } from "./migrations.ts";

export type LiveStreamDefinition = ActorDefinition<LiveStreamTypes>;

export function liveStreamDefinition(db: Db): LiveStreamDefinition {
  const streams = streamsIn(db);
  const users = usersIn(db);
  const broadcasts = broadcastsIn(db);
  return {
    name: "live-stream",
    version: LIVE_STREAM_VERSION,
    machine: liveStreamMachine,
    // Version 3 sets a stream's key and drops publishers.
    migrations: { 1: withMedia, 2: sameFormat },
    context: liveStreamContext,
    input: liveStreamInput,
    commands: liveStreamCommands,

    async prepare({ id, context, pending }) {
      const publishing = pending.some((one) => one.command?.type === "published");
      const ownerId = context?.ownerId ?? pending.find(({ input }) => input !== null)?.input?.ownerId;
      const sessionId = context?.sessionId;
      const isLive = context !== null && context.liveSince !== null;
      const [stream, owner, broadcast, last] = await Promise.all([
        publishing ? streams.find(id) : null,
        publishing && ownerId !== undefined ? users.findPublic(ownerId) : null,
        sessionId ? broadcasts.find(sessionId) : null,
        isLive ? null : broadcasts.lastOf(id),
      ]);
      return {
        stream,
        keyHash: stream?.streamKeyHash ?? null,
        owner,
        broadcast,
        lastEndedAt: last?.endedAt?.getTime() ?? null,
        announced: new Set(),
      };
    },

    // Optimistic locks: a concurrent rotation of the key or ban of the owner conflicts, so the later write sees the earlier one.
    guards: ({ stream, owner }) => [
      ...(stream
        ? [{ collection: "streams", id: stream._id, has: { streamKeyHash: stream.streamKeyHash } }]
        : []),
      ...(owner ? [{ collection: "users", id: owner._id, has: { status: owner.status } }] : []),
    ],
    decide,
    effects: liveStreamEffects(db),
    answer: (state) => ({
      status: publicStatus(state, LIVE_STREAM_STATUSES),
      sessionId: state.context.sessionId,
    }),
  };
}

type Scope = { state: ActorState<LiveStreamContext>; reads: LiveStreamReads };

/** Publishing requires the current key, an owner in good standing, and no other connected publisher. */
function decide(command: LiveStreamCommand, { state, reads }: Scope): Decision<LiveStreamEvent> {
  if (command.type !== "published") return { ok: true, event: command };

  const { clientId, keyHash } = command;
  // Checked again here, since the key may have been rotated after the hook was matched to its stream.
  if (reads.keyHash !== keyHash || reads.owner?.status !== "active") return refuse("stream_key_refused");
  const connected = state.context.clientId;
  if (connected !== null && connected !== clientId) return refuse("publisher_connected");
  return { ok: true, event: command };
}
