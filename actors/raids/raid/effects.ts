import type { ClientSession, Db } from "mongodb";
import { newId } from "../../../base/ids.ts";
import { effectiveModes, modesView } from "../../../realtime/rooms/state/modes.ts";
import type { UserWithoutSecrets } from "../../../store/mongo/accounts/users.ts";
import { blocksIn } from "../../../store/mongo/channels/blocks.ts";
import { type Hosted, hostingIn } from "../../../store/mongo/channels/hosting.ts";
import { streamsIn } from "../../../store/mongo/channels/streams.ts";
import { moderationActionsIn } from "../../../store/mongo/chat/moderation-actions.ts";
import { ledgerIn } from "../../../store/mongo/points/ledger.ts";
import type { RaidDoc } from "../../../store/mongo/raids/raids.ts";
import { changeRoom, hostingRows, hostStarted } from "../../channels/public.ts";
import { changeOf, type ModerationChange } from "../../chat/public.ts";
import type { Refusal } from "../../host/definition.ts";
import { type EffectHandlers, eachOf } from "../../host/effect.ts";
import { type Posting, postAndNotify } from "../../points/public.ts";
import type {
  ArrivalsBatch,
  RaidCommand,
  RaidContext,
  RaidEffects,
  RaidEvent,
  RaidInput,
  RaidUpdateType,
} from "./machine.ts";
import { raidDoc, raidUpdateView } from "./view.ts";

/** Points for arriving with a raid, once per user and broadcast of the target. */
const RAID_POINTS = 250;

export type RaidReads = {
  /** Of a raid that is about to begin: its streams, and the refusal, if any. */
  creation: (Pick<RaidInput, "sourceStreamId" | "targetStreamId"> & { refusal: Refusal | null }) | null;
  /** How many members would leave with it now, and whether the target would accept it and show its message. */
  departure: { viewers: number; isAccepted: boolean; keepsMessage: boolean };
  /** The owners of both channels. */
  users: ReadonlyMap<string, UserWithoutSecrets>;
  /** Whether the target's owner wants shield mode to be switched on when a raid arrives. */
  raisesShield: boolean;
  /** The target's running or last broadcast, read once the raid has departed; null for none. */
  broadcastId: string | null;
  /** What the source hosts afterwards, with the source's viewer count; null for nothing. */
  hosting: { hosted: Hosted; viewers: number } | null;
};

export type RaidTypes = {
  command: RaidCommand;
  event: RaidEvent;
  context: RaidContext;
  input: RaidInput;
  effects: RaidEffects;
  reads: RaidReads;
  answer: RaidDoc;
};

type Room = "sourceStreamId" | "targetStreamId";

const ROOMS: Record<RaidUpdateType, readonly Room[]> = {
  "raid.pending": ["sourceStreamId", "targetStreamId"],
  "raid.go": ["sourceStreamId"],
  "raid.incoming": ["targetStreamId"],
  "raid.cancelled": ["sourceStreamId", "targetStreamId"],
};

/** Effect handlers; they write in the same transaction as the snapshot. */
export function raidEffects(db: Db): EffectHandlers<RaidTypes> {
  const streams = streamsIn(db);
  const actions = moderationActionsIn(db);
  const blocks = blocksIn(db);
  const hosting = hostingIn(db);
  const ledger = ledgerIn(db);

  /** The postings that haven't been paid yet, without duplicates. */
  async function unpaid(postings: Posting[], session: ClientSession): Promise<Posting[]> {
    const paid = await ledger.findMany(
      postings.map(({ key }) => key),
      session,
    );
    const known = new Set(paid.map(({ _id }) => _id));
    return postings.filter(({ key }) => !known.has(key) && known.add(key));
  }

  return {
    announce: {
      write(batches) {
        for (const [{ params, after }, { outbox, reads }] of eachOf(batches)) {
          for (const streamId of ROOMS[params.event].map((room) => after.context[room]))
            outbox.room(streamId, params.event, raidUpdateView(raidDoc(after), reads.users, streamId));
        }
      },
    },

    raiseShield: {
      async write(batches, session) {
        for (const [{ after }, { outbox, reads, now }] of eachOf(batches)) {
          if (!reads.raisesShield || after.context.viewers === 0) continue;
          const { targetStreamId, targetUserId } = after.context;
          const { rows } = await changeRoom({ streamId: targetStreamId, streams, session }, (stream) => {
            const modes = { ...stream.modes, shieldMode: true };
            const entry = {
              _id: newId(),
              streamId: stream._id,
              roomId: stream.roomId,
              actorId: targetUserId,
              targetId: null,
              action: "shield_on" as const,
              reason: null,
              durationSeconds: null,
              createdAt: now,
            };
            const raised: ModerationChange = {
              log: [entry],
              effects: [{ kind: "modes", modes }],
              events: [{ type: "chat.modes", data: modesView(effectiveModes(modes)) }],
              modes,
            };
            const nothing: ModerationChange = { log: [], effects: [] };
            const change = stream.modes.shieldMode ? nothing : raised;
            return changeOf({ actions, usersByIds: async () => reads.users }, change, session);
          });
          outbox.include(rows);
        }
      },
    },

    settleArrivals: {
      async write(batches, session) {
        const movements = batches.flatMap(({ id, calls, reads, now }) =>
          calls.flatMap(({ params, after }) =>
            arrivalPoints(params, after.context, {
              ref: id,
              at: now,
              occasion: reads.broadcastId ?? id,
            }),
          ),
        );
        const due = await unpaid(movements, session);
        await postAndNotify(
          db,
          batches.map(({ id, outbox }) => ({ outbox, movements: due.filter(({ ref }) => ref === id) })),
          session,
        );
      },
    },

    hostTarget: {
      async write(batches, session) {
        for (const [{ after }, { id, outbox, reads, now }] of eachOf(batches)) {
          const { sourceUserId, targetUserId, viewers } = after.context;
          const fact = { kind: "raid" as const, ref: id, userId: targetUserId, at: now };
          outbox.notify({ ...fact, data: { raidId: id, sourceUserId, viewers } });
          outbox.include(await startHosting(after.context, reads, session));
        }
      },
    },
  };

  async function startHosting(
    context: RaidContext,
    { hosting: wanted, users }: RaidReads,
    session: ClientSession,
  ) {
    const { sourceUserId, sourceStreamId, targetUserId, targetStreamId } = context;
    const [host, target] = [users.get(sourceUserId), users.get(targetUserId)];
    if (!wanted || !host || !target) return [];
    if (!(await blocks.lockIfNeitherBlocks(sourceUserId, targetUserId, session))) return [];
    const { hosted, viewers } = wanted;
    const change = await hosting.start(sourceUserId, sourceStreamId, hosted, session);
    if (!change) return [];
    return hostingRows(change, { targetStreamId, data: hostStarted(hosted, { host, target, viewers }) });
  }
}

/** Users don't earn points in their own channel. */
const arrivalPoints = (
  { members }: ArrivalsBatch,
  { targetUserId: channelUserId }: RaidContext,
  { ref, at, occasion }: Pick<Posting, "ref" | "at"> & { occasion: string },
): Posting[] =>
  members
    .filter(({ userId }) => userId !== channelUserId)
    .map(({ userId }) => ({
      key: `raid:${occasion}:${userId}`,
      userId,
      channelUserId,
      delta: RAID_POINTS,
      reason: "raid",
      ref,
      at,
    }));
