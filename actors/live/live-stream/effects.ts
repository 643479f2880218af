import type { Db } from "mongodb";
import { MINUTE_MS } from "../../../base/durations.ts";
import type { UserDoc } from "../../../store/mongo/accounts/users.ts";
import { hostingIn } from "../../../store/mongo/channels/hosting.ts";
import { type IngestDoc, type StreamDoc, streamsIn } from "../../../store/mongo/channels/streams.ts";
import { pollsIn } from "../../../store/mongo/chat/polls.ts";
import { type BroadcastDoc, broadcastsIn } from "../../../store/mongo/live/broadcasts.ts";
import { publisherDropsIn } from "../../../store/mongo/live/publisher-drops.ts";
import {
  type PublisherDoc,
  publishersIn,
  type TrackedPublisher,
} from "../../../store/mongo/live/publishers.ts";
import { raidsIn } from "../../../store/mongo/raids/raids.ts";
import { hostingRows } from "../../channels/public.ts";
import type { ActorState } from "../../host/actor-types.ts";
import { type EffectHandlers, eachOf } from "../../host/effect.ts";
import { publicStatus } from "../../host/public-status.ts";
import type { LiveStreamEffects } from "./machine.ts";
import { leaseFrom } from "./publisher-lease.ts";
import type { LiveStreamCommand, LiveStreamContext, LiveStreamEvent, LiveStreamInput } from "./schemas.ts";
import { ingestView, streamLive, streamOffline } from "./view.ts";

/** Followers aren't notified again of a broadcast that begins this soon after the last one. */
const RENOTIFY_AFTER_MS = 10 * MINUTE_MS;

export type LiveStreamReads = {
  /** The stream's key; `owner` has its owner's status. Both are only read for a publisher. */
  stream: Pick<StreamDoc, "_id" | "streamKeyHash"> | null;
  /** The key's hash, kept up to date while the batch is decided. */
  keyHash: string | null;
  owner: Pick<UserDoc, "_id" | "status"> | null;
  /** The connected publisher; only read where a publisher comes or is lost, null without one. */
  publisher: PublisherDoc | null;
  /** Its last sign, kept up to date while the batch is decided. */
  sign: Omit<PublisherDoc, "_id"> | null;
  /** The running broadcast with its figures so far. */
  broadcast: BroadcastDoc | null;
  /** When the last broadcast ended, Unix ms; only read while none runs; null for never. */
  lastEndedAt: number | null;
  /** Broadcasts that begin in this batch and of which followers are notified. */
  announced: Set<string>;
};

export const LIVE_STREAM_STATUSES = ["offline", "starting", "live", "interrupted"] as const;
type LiveStreamStatus = (typeof LIVE_STREAM_STATUSES)[number];

type LiveStreamAnswer = { status: LiveStreamStatus; sessionId: string | null };

export type LiveStreamTypes = {
  command: LiveStreamCommand;
  event: LiveStreamEvent;
  context: LiveStreamContext;
  input: LiveStreamInput;
  effects: LiveStreamEffects;
  reads: LiveStreamReads;
  answer: LiveStreamAnswer;
};

/** Effect handlers; they write in the same transaction as the snapshot. */
export function liveStreamEffects(db: Db): EffectHandlers<LiveStreamTypes> {
  const streams = streamsIn(db);
  const broadcasts = broadcastsIn(db);
  const hosting = hostingIn(db);
  const raids = raidsIn(db);
  const polls = pollsIn(db);
  const drops = publisherDropsIn(db);
  const publishers = publishersIn(db);
  return {
    goLive: {
      apply({ params, after }, reads) {
        reads.broadcast = newBroadcast(after.id, after.context.ownerId, params);
        const { lastEndedAt } = reads;
        if (lastEndedAt === null || params.liveSince - lastEndedAt > RENOTIFY_AFTER_MS)
          reads.announced.add(params.sessionId);
      },
      async write(batches, session) {
        const all = eachOf(batches);
        const begun = all.map(([{ params, after }, { id }]) =>
          newBroadcast(id, after.context.ownerId, params),
        );
        const turnedLive = all.map(([{ params }, { id, now }]) => ({
          streamId: id,
          sessionId: params.sessionId,
          liveSince: new Date(params.liveSince),
          at: now,
        }));
        await broadcasts.begin(begun, session);
        await streams.turnLive(turnedLive, session);
        for (const [{ params, after }, { id, outbox, reads, now }] of all) {
          const { sessionId } = params;
          outbox.room(id, "stream.live", streamLive(id, new Date(params.liveSince)));
          const fact = {
            kind: "stream_live" as const,
            ref: sessionId,
            userId: after.context.ownerId,
            at: now,
          };
          if (reads.announced.has(sessionId)) outbox.notify({ ...fact, data: { streamId: id, sessionId } });
        }
        const owners = new Map(all.map(([{ after }, commit]) => [after.context.ownerId, commit]));
        for (const change of await hosting.broadcastsStarted([...owners.keys()], session))
          owners.get(change.userId)?.outbox.include(hostingRows(change, null));
      },
    },

    nameMediaStream: {
      async write(batches, session) {
        const named = eachOf(batches).flatMap(([{ params }, { id }]) =>
          params.mediaStreamId === null ? [] : [{ streamId: id, mediaStreamId: params.mediaStreamId }],
        );
        await streams.nameMediaStreams(named, session);
      },
    },

    setKey: {
      apply({ params }, reads) {
        reads.keyHash = params.keyHash;
      },
      async write(batches, session) {
        const set = eachOf(batches).map(([{ params }, { id, now }]) => ({
          streamId: id,
          ...params,
          at: now,
        }));
        await streams.setKeys(set, session);
      },
    },

    trackPublisher: {
      apply({ params, after }, reads) {
        reads.sign = publisherFrom(params, after.at);
      },
      async write(batches, session) {
        const last = eachOf(batches).map(([{ params }, { id, now }]): [string, TrackedPublisher] => [
          id,
          { streamId: id, publisher: publisherFrom(params, now) },
        ]);
        await publishers.track([...new Map(last).values()], session);
      },
    },

    tellOwner: {
      async write(batches, session) {
        const steps = eachOf(batches).map(([{ after }, { id }]) => ({
          streamId: id,
          ingest: ingestOf(after),
        }));
        await streams.setIngest(steps, session);
        for (const [{ after }, { id, outbox }] of eachOf(batches)) {
          const { ownerId, liveSince } = after.context;
          const ingest = ingestView(ingestOf(after), liveSince === null ? null : new Date(liveSince));
          outbox.user(ownerId, "stream.ingest", { stream_id: id, ingest });
        }
      },
    },

    cutOff: {
      async write(batches, session) {
        const connected = eachOf(batches).flatMap(
          ([
            {
              params: { clientId },
            },
            { id, now },
          ]) => (clientId === null ? [] : [{ streamId: id, clientId, at: now }]),
        );
        await drops.insert(connected, session);
      },
    },

    goOffline: {
      apply({ params }, reads) {
        reads.lastEndedAt = params.endedAt;
      },
      async write(batches, session) {
        const all = eachOf(batches);
        const ended = all.map(([{ params }]) => ({
          _id: params.sessionId,
          endedAt: new Date(params.endedAt),
          endReason: params.reason,
        }));
        const turnedOffline = all.map(([, { id, now }]) => ({ streamId: id, at: now }));
        await broadcasts.end(ended, session);
        await streams.turnOffline(turnedOffline, session);
        const owners = all.map(([{ after }, { now }]) => ({ userId: after.context.ownerId, at: now }));
        await hosting.broadcastsEnded(owners, session);
        for (const [, { id, outbox, reads }] of all) {
          outbox.room(id, "stream.offline", streamOffline(id, reads.broadcast));
        }
        // A raid that begins concurrently conflicts on these streams' documents: it is found here, or it is refused.
        const targets = new Map(all.map(([, { id, outbox }]) => [id, outbox]));
        for (const raid of await raids.pendingTowards([...targets.keys()], session))
          targets
            .get(raid.targetStreamId)
            ?.send("raid", raid._id, { type: "targetWentOffline" }, { by: null });
        for (const poll of await polls.openIn([...targets.keys()], session))
          targets.get(poll.streamId)?.send("poll", poll._id, { type: "end" }, { by: null });
      },
    },
  };
}

const ingestOf = (state: ActorState<LiveStreamContext>): IngestDoc => ({
  status: publicStatus(state, LIVE_STREAM_STATUSES),
  at: state.at,
});

const newBroadcast = (
  streamId: string,
  ownerId: string,
  { sessionId, liveSince }: { sessionId: string; liveSince: number },
): BroadcastDoc => ({
  _id: sessionId,
  streamId,
  ownerId,
  startedAt: new Date(liveSince),
  endedAt: null,
  endReason: null,
  peakViewers: 0,
  viewerSum: 0,
  samples: 0,
});

const publisherFrom = (
  { clientId, hasLease }: LiveStreamEffects["trackPublisher"],
  at: Date,
): Omit<PublisherDoc, "_id"> | null =>
  clientId === null ? null : { clientId, seenAt: at, leaseEndsAt: hasLease ? leaseFrom(at) : null };
