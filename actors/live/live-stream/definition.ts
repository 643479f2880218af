import type { Db } from "mongodb";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import { streamsIn } from "../../../store/mongo/channels/streams.ts";
import { broadcastsIn } from "../../../store/mongo/live/broadcasts.ts";
import { publishersCollection, publishersIn } from "../../../store/mongo/live/publishers.ts";
import type { ActorState } from "../../host/actor-types.ts";
import { type ActorDefinition, type Decision, refuse } from "../../host/definition.ts";
import { publicStatus } from "../../host/public-status.ts";
import { sameFormat } from "../../host/with-context.ts";
import {
  LIVE_STREAM_STATUSES,
  type LiveStreamReads,
  type LiveStreamTypes,
  liveStreamEffects,
} from "./effects.ts";
import { LIVE_STREAM_VERSION, liveStreamMachine } from "./machine.ts";
import { withLostPublisher, withMedia } from "./migrations.ts";
import { PUBLISHER_LEASE_MS } from "./publisher-lease.ts";
import {
  type LiveStreamCommand,
  type LiveStreamContext,
  type LiveStreamEvent,
  liveStreamCommands,
  liveStreamContext,
  liveStreamInput,
} from "./schemas.ts";

export type LiveStreamDefinition = ActorDefinition<LiveStreamTypes>;

export function liveStreamDefinition(db: Db): LiveStreamDefinition {
  const streams = streamsIn(db);
  const users = usersIn(db);
  const broadcasts = broadcastsIn(db);
  const publishers = publishersIn(db);
  return {
    name: "live-stream",
    version: LIVE_STREAM_VERSION,
    machine: liveStreamMachine,
    // Version 3 sets a stream's key and drops publishers; version 5 tells the owner how far the broadcast has come.
    migrations: { 1: withMedia, 2: sameFormat, 3: withLostPublisher, 4: sameFormat },
    context: liveStreamContext,
    input: liveStreamInput,
    commands: liveStreamCommands,

    async prepare({ id, context, pending }) {
      const publishing = pending.some((one) => one.command?.type === "published");
      const losing = pending.some((one) => one.command?.type === "publisherLost");
      const isConnected = context !== null && context.clientId !== null;
      const ownerId = context?.ownerId ?? pending.find(({ input }) => input !== null)?.input?.ownerId;
      const sessionId = context?.sessionId;
      const isLive = context !== null && context.liveSince !== null;
      const [stream, owner, publisher, broadcast, last] = await Promise.all([
        publishing ? streams.find(id) : null,
        publishing && ownerId !== undefined ? users.findPublic(ownerId) : null,
        (publishing || losing) && isConnected ? publishers.find(id) : null,
        sessionId ? broadcasts.find(sessionId) : null,
        isLive ? null : broadcasts.lastOf(id),
      ]);
      return {
        stream,
        keyHash: stream?.streamKeyHash ?? null,
        owner,
        publisher,
        sign: publisher,
        broadcast,
        lastEndedAt: last?.endedAt?.getTime() ?? null,
        announced: new Set(),
      };
    },

    // Optimistic locks: a concurrent rotation of the key, ban of the owner or update of the publisher conflicts, so the later write
    // sees the earlier one.
    guards: ({ stream, owner, publisher }) => [
      ...(stream
        ? [{ collection: "streams", id: stream._id, has: { streamKeyHash: stream.streamKeyHash } }]
        : []),
      ...(owner ? [{ collection: "users", id: owner._id, has: { status: owner.status } }] : []),
      ...(publisher
        ? [{ collection: publishersCollection.name, id: publisher._id, has: { seenAt: publisher.seenAt } }]
        : []),
    ],
    decide,
    effects: liveStreamEffects(db),
    answer: (state) => ({
      status: publicStatus(state, LIVE_STREAM_STATUSES),
      sessionId: state.context.sessionId,
    }),
  };
}

type Scope = { state: ActorState<LiveStreamContext>; reads: LiveStreamReads; at: Date };

/**
 * Publishing requires the current key, an owner in good standing, and that no other publisher is connected of which there was a
 * sign lately. A publisher is lost only while its lease has run out.
 */
function decide(command: LiveStreamCommand, { state, reads, at }: Scope): Decision<LiveStreamEvent> {
  if (command.type === "publisherLost") {
    // Any other publisher than the connected one is refused by the machine: callers tell the two refusals apart.
    const isConnected = state.context.clientId === command.clientId;
    return isConnected && !isLost(command.clientId, reads, at)
      ? refuse("publisher_connected")
      : { ok: true, event: command };
  }
  if (command.type !== "published") return { ok: true, event: command };

  const { clientId, keyHash } = command;
  // Checked again here, since the key may have been rotated after the hook was matched to its stream.
  if (reads.keyHash !== keyHash || reads.owner?.status !== "active") return refuse("stream_key_refused");
  const connected = state.context.clientId;
  const isOther = connected !== null && connected !== clientId;
  if (isOther && at.getTime() - lastSignOf(state.context, reads) <= PUBLISHER_LEASE_MS)
    return refuse("publisher_connected");
  return { ok: true, event: command };
}

function isLost(clientId: string, { sign }: LiveStreamReads, at: Date): boolean {
  const endsAt = sign?.clientId === clientId ? sign.leaseEndsAt : null;
  return endsAt !== null && endsAt <= at;
}

/** Unix ms. Publishers that an older release accepted have given no other sign than that they came. */
const lastSignOf = ({ clientId, publishedAt }: LiveStreamContext, { sign }: LiveStreamReads): number =>
  sign?.clientId === clientId ? sign.seenAt.getTime() : (publishedAt ?? 0);
