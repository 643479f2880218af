import type { Db } from "mongodb";
import type { Log } from "../../../base/log.ts";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import { newHosted } from "../../../store/mongo/channels/hosting.ts";
import { streamsIn } from "../../../store/mongo/channels/streams.ts";
import { chatBansIn, isInForce } from "../../../store/mongo/chat/chat-bans.ts";
import { countersIn } from "../../../store/mongo/driver/counters.ts";
import { broadcastsIn } from "../../../store/mongo/live/broadcasts.ts";
import { raidMembersIn } from "../../../store/mongo/raids/raid-members.ts";
import { raidSettingsIn } from "../../../store/mongo/raids/raid-settings.ts";
import { ONE_OPEN_A_SOURCE, raidsIn } from "../../../store/mongo/raids/raids.ts";
import type { ActorDefinition, Decision } from "../../host/definition.ts";
import type { ShowsMessage } from "../../host/lifecycle.ts";
import { sameFormat } from "../../host/with-context.ts";
import { createAcceptance } from "./acceptance.ts";
import { type RaidReads, type RaidTypes, raidEffects } from "./effects.ts";
import {
  RAID_VERSION,
  type RaidCommand,
  type RaidContext,
  type RaidEvent,
  type RaidInput,
  raidCommands,
  raidContext,
  raidInput,
  raidMachine,
} from "./machine.ts";
import type { RaidMetrics, RaidOutcome } from "./metrics.ts";
import { raidDoc } from "./view.ts";

/** Arrivals settled per commit. */
const SETTLE_BATCH = 1_000;

export type RaidDefinition = ActorDefinition<RaidTypes>;

export function raidDefinition(
  db: Db,
  log: Log,
  metrics: RaidMetrics,
  showsMessage: ShowsMessage,
): RaidDefinition {
  const raids = raidsIn(db);
  const members = raidMembersIn(db);
  const settings = raidSettingsIn(db);
  const streams = streamsIn(db);
  const chatBans = chatBansIn(db);
  const counters = countersIn(db);
  const users = usersIn(db);
  const broadcasts = broadcastsIn(db);
  const acceptance = createAcceptance(db, log);

  /** What the source hosts after the raid, if its owner wants that, the target is live and the owner isn't banned there. */
  async function hostingAfter(context: RaidContext, now: Date): Promise<RaidReads["hosting"]> {
    const { sourceUserId, sourceStreamId, targetStreamId } = context;
    if (!(await settings.of(sourceUserId)).hostAfter) return null;
    const [source, target, ban] = await Promise.all([
      streams.find(sourceStreamId),
      streams.find(targetStreamId),
      chatBans.banOf(targetStreamId, sourceUserId),
    ]);
    if (!target?.isLive || (ban && isInForce(ban, now))) return null;
    const hosted = newHosted(await counters.take("hosting"), target, { isAuto: true, at: now });
    return { hosted, viewers: source?.viewerCount ?? 0 };
  }

  async function keepsMessage(raid: RaidInput): Promise<boolean> {
    const { targetStreamId: _id, targetUserId: userId, createdBy: by, message } = raid;
    return message === null || showsMessage({ _id, userId }, { by, message });
  }

  return {
    name: "raid",
    version: RAID_VERSION,
    // Version 2 checks again at departure whether the target accepts the raid.
    migrations: { 1: sameFormat },
    machine: raidMachine,
    context: raidContext,
    input: raidInput,
    commands: raidCommands,

    async prepare({ id, context, pending, now }) {
      const input = context ? null : (pending.find((one) => one.input !== null)?.input ?? null);
      const channels = context ?? input;
      const departs = pending.some(({ command }) => command !== null && isDeparture(command));
      const wanted = departs && channels ? settings.of(channels.targetUserId) : null;
      const [creation, viewers, isAccepted, keeps, owners, target, broadcast, hosting] = await Promise.all([
        input ? creationOf(input, now) : null,
        departs ? members.count(id) : 0,
        wanted && channels ? acceptance.isAccepted(channels, wanted, now) : false,
        departs && channels ? keepsMessage(channels) : false,
        channels ? users.findManyPublic([channels.sourceUserId, channels.targetUserId]) : [],
        wanted,
        context?.startedAt != null ? broadcasts.lastOf(context.targetStreamId) : null,
        context?.startedAt != null ? hostingAfter(context, now) : null,
      ]);
      return {
        creation,
        departure: { viewers, isAccepted, keepsMessage: keeps },
        users: new Map(owners.map((user) => [user._id, user])),
        raisesShield: target?.shieldOnArrival ?? false,
        broadcastId: broadcast?._id ?? null,
        hosting,
      };
    },

    refuseCreation: (_input, { creation }) => creation?.refusal ?? null,
    // Going offline writes the same documents, so the later of the two writes sees the earlier one.
    guards: ({ creation }) =>
      creation && !creation.refusal
        ? [creation.sourceStreamId, creation.targetStreamId].map((streamId) => ({
            collection: "streams",
            id: streamId,
            has: { isLive: true },
          }))
        : [],
    unique: { [ONE_OPEN_A_SOURCE]: { code: "raid_in_progress" } },
    decide,
    effects: raidEffects(db),
    settling: {
      states: ["active.settling"],
      batchSize: SETTLE_BATCH,
      after: members.arrivalsAfter,
      progress: ({ settled }) => settled,
      advance: ({ arrived }, batch) => ({
        cursor: batch.at(-1)?._id ?? "",
        arrived: arrived + batch.length,
      }),
    },
    save: (states, session) => raids.save(states.map(raidDoc), session),
    answer: raidDoc,
    committed(transitions, { context }) {
      for (const { event, to } of transitions) {
        if (to === "completed") metrics.arrived(context.viewers);
        if (to === "completed" || to === "cancelled") metrics.ended(1, { outcome: outcomeOf(to, event) });
      }
    },
  };

  async function creationOf(input: RaidInput, now: Date): Promise<RaidReads["creation"]> {
    const { sourceStreamId, targetStreamId } = input;
    return { sourceStreamId, targetStreamId, refusal: await acceptance.refusalOf(input, now) };
  }
}

/** A raid whose countdown is over, or that is started, ends there if its target doesn't accept it any more. */
function outcomeOf(status: "completed" | "cancelled", event: string): RaidOutcome {
  if (status === "completed") return status;
  if (event === "targetWentOffline") return "target_offline";
  return event === "cancel" ? "cancelled" : "not_accepted";
}

const isDeparture = ({ type }: RaidCommand) => type === "start" || type === "countdownOver";

/** Adds the reads of this batch to a departure, also when the timer starts it. */
function decide(command: RaidCommand, { reads }: { reads: RaidReads }): Decision<RaidEvent> {
  if (command.type === "start" || command.type === "countdownOver")
    return { ok: true, event: { type: command.type, ...reads.departure } };
  return { ok: true, event: { type: command.type } };
}
