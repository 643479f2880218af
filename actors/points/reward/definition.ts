import type { Db } from "mongodb";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import { streamsIn } from "../../../store/mongo/channels/streams.ts";
import { chatBansIn } from "../../../store/mongo/chat/chat-bans.ts";
import { broadcastsIn } from "../../../store/mongo/live/broadcasts.ts";
import { balancesIn } from "../../../store/mongo/points/balances.ts";
import { redemptionsIn } from "../../../store/mongo/points/redemptions.ts";
import { MAX_REWARDS, ONE_OF_A_TITLE, rewardsIn, titleKeyOf } from "../../../store/mongo/points/rewards.ts";
import { NO_BARS, refusalByBan, refusalByBars, viewerBarsIn } from "../../channels/public.ts";
import type { ActorState } from "../../host/actor-types.ts";
import { type ActorDefinition, type Decision, type Refusal, refuse } from "../../host/definition.ts";
import { type RewardReads, type RewardTypes, rewardEffects } from "./effects.ts";
import {
  REWARD_VERSION,
  type RewardCommand,
  type RewardContext,
  type RewardEvent,
  rewardCommands,
  rewardContext,
  rewardInput,
  rewardMachine,
} from "./machine.ts";
import { rewardDoc } from "./view.ts";

/** Redemptions refunded per commit. */
const REFUND_BATCH = 500;

export type RewardDefinition = ActorDefinition<RewardTypes>;

export function rewardDefinition(db: Db): RewardDefinition {
  const rewards = rewardsIn(db);
  const redemptions = redemptionsIn(db);
  const balances = balancesIn(db);
  const users = usersIn(db);
  const chatBans = chatBansIn(db);
  const barsOf = viewerBarsIn(db);
  const broadcasts = broadcastsIn(db);
  const streams = streamsIn(db);

  /** Reads everything that redemptions of this batch depend on, for all their users. */
  async function readsOf(rewardId: string, context: RewardContext, userIds: string[]) {
    const { channelUserId, streamId, maxPerUserPerStream, requiresInput } = context;
    const last = broadcasts.lastOf(streamId);
    const counts = async () => {
      if (maxPerUserPerStream === null) return new Map<string, number>();
      return redemptions.countSince(rewardId, userIds, (await last)?.startedAt ?? new Date(0));
    };
    const [accounts, redeemers, bans, bars, redeemed, broadcast, stream] = await Promise.all([
      balances.ofUsers(userIds, channelUserId),
      users.findManyPublic(userIds),
      chatBans.bansOf(streamId, userIds),
      barsOf(channelUserId, userIds),
      counts(),
      last,
      requiresInput ? streams.find(streamId) : null,
    ]);
    return {
      ...noReads(),
      users: new Map(redeemers.map((user) => [user._id, user])),
      balances: new Map(accounts.map(({ userId, balance }) => [userId, balance])),
      bans: new Map(bans.map((ban) => [ban.userId, ban])),
      bars,
      redeemed,
      since: broadcast?.startedAt.getTime() ?? null,
      roomId: stream?.roomId ?? null,
    };
  }

  return {
    name: "reward",
    version: REWARD_VERSION,
    machine: rewardMachine,
    context: rewardContext,
    input: rewardInput,
    commands: rewardCommands,

    async prepare({ id, context, pending }) {
      const [input] = pending.flatMap((one) => one.input ?? []);
      if (!context) return input ? readsOfNew(id, input.channelUserId) : noReads();
      const setsTitle = pending.some(({ command }) => command?.type === "change" && command.offer.title);
      const otherTitles = setsTitle ? await otherTitleKeys(id, context.channelUserId) : new Set<string>();
      const userIds = pending.flatMap(({ command }) => (command?.type === "redeem" ? [command.userId] : []));
      const reads = userIds.length === 0 ? noReads() : await readsOf(id, context, [...new Set(userIds)]);
      return { ...reads, otherTitles };
    },

    refuseCreation({ title }, { place, otherTitles }) {
      if (place === null) return { code: "limit_reached", details: { limit: MAX_REWARDS } };
      return otherTitles.has(titleKeyOf(title)) ? TITLE_TAKEN : null;
    },
    // Of two that are set at once.
    unique: { [ONE_OF_A_TITLE]: TITLE_TAKEN },
    decide,
    effects: rewardEffects(db),
    settling: {
      states: ["deleted.refunding"],
      batchSize: REFUND_BATCH,
      after: redemptions.pendingOf,
      progress: ({ settled }) => settled,
      advance: ({ cursor }, members) => ({ cursor: members.at(-1)?._id ?? cursor }),
    },
    answer(state, { reads, by }) {
      const redemption = by === null ? undefined : reads.bought.get(by);
      const redeemer = by === null ? undefined : reads.users.get(by);
      if (!redemption || !redeemer) return { reward: rewardDoc(state), bought: null };
      return { reward: null, bought: { redemption, redeemer } };
    },
  };

  async function readsOfNew(id: string, channelUserId: string): Promise<RewardReads> {
    const [place, otherTitles] = await Promise.all([
      freePlace(channelUserId),
      otherTitleKeys(id, channelUserId),
    ]);
    return { ...noReads(), place, otherTitles };
  }

  /** Made anew from the titles, since stored keys are those of the release that set the title. */
  async function otherTitleKeys(id: string, channelUserId: string): Promise<ReadonlySet<string>> {
    return new Set((await rewards.otherTitles(channelUserId, id)).map(titleKeyOf));
  }

  /** A random free place, because concurrent additions would conflict on the first one. */
  async function freePlace(channelUserId: string): Promise<number | null> {
    const free = await rewards.freePlaces(channelUserId);
    return free[Math.floor(Math.random() * free.length)] ?? null;
  }
}

const TITLE_TAKEN: Refusal = { code: "reward_title_taken" };

const noReads = (): RewardReads => ({
  place: null,
  otherTitles: new Set(),
  users: new Map(),
  balances: new Map(),
  bans: new Map(),
  bars: NO_BARS,
  redeemed: new Map(),
  bought: new Map(),
  since: null,
  roomId: null,
  sold: [],
});

type Scope = { state: ActorState<RewardContext>; reads: RewardReads; at: Date };
type Redeem = Extract<RewardCommand, { type: "redeem" }>;
type Change = Extract<RewardCommand, { type: "change" }>;

function decide(command: RewardCommand, scope: Scope): Decision<RewardEvent> {
  // A deleted reward doesn't exist for anybody.
  if (scope.state.status === "deleted") return refuse("not_found");
  if (command.type === "change") return refuseTitle(command, scope) ?? { ok: true, event: command };
  if (command.type !== "redeem") return { ok: true, event: command };
  const refusal = refuseRedemption(command, scope);
  return refusal ?? { ok: true, event: { ...command, since: scope.reads.since } };
}

type Refused = { ok: false; refusal: Refusal };

/** A title that stays is never refused: rewards of earlier releases may look alike. */
function refuseTitle({ offer: { title } }: Change, { state: { context }, reads }: Scope): Refused | null {
  if (title === undefined || title === context.title) return null;
  return reads.otherTitles.has(titleKeyOf(title)) ? refuse("reward_title_taken") : null;
}

function refuseRedemption(command: Redeem, scope: Scope): Refused | null {
  const { isEnabled, isPaused, requiresInput, cost } = scope.state.context;
  const barred = refusalByBars(scope.reads.bars, command.userId);
  if (barred) return { ok: false, refusal: barred };
  if (!isEnabled || isPaused) return refuse("reward_disabled");
  const banned = refuseBanned(command, scope);
  if (banned) return banned;
  if (requiresInput && command.userInput === null) return refuse("input_required");
  const limited = refuseByLimits(command, scope);
  if (limited) return limited;
  const balance = scope.reads.balances.get(command.userId) ?? 0;
  return cost > balance ? refuse("insufficient_points", { balance }) : null;
}

/** Users who may not chat in the room may not post there through a reward either. */
function refuseBanned({ userId }: Redeem, { reads, at }: Scope): Refused | null {
  if (!reads.users.has(userId)) return refuse("not_found");
  const refusal = refusalByBan(reads.bans.get(userId), at);
  return refusal && { ok: false, refusal };
}

function refuseByLimits({ userId }: Redeem, { state: { context }, reads, at }: Scope): Refused | null {
  const { cooldownSeconds, maxPerStream, maxPerUserPerStream, redeemedAt, counted } = context;
  // Without a cooldown nobody waits, not even a request older than a redemption that another worker has taken since.
  const readyAt = redeemedAt === null || !cooldownSeconds ? 0 : redeemedAt + cooldownSeconds * 1_000;
  if (readyAt > at.getTime()) return refuse("cooldown", { retry_after_ms: readyAt - at.getTime() });
  const redemptions = counted.since === reads.since ? counted.redemptions : 0;
  if (maxPerStream !== null && redemptions >= maxPerStream)
    return refuse("redemption_limit", { limit: maxPerStream, per: "stream" });
  if (maxPerUserPerStream !== null && (reads.redeemed.get(userId) ?? 0) >= maxPerUserPerStream)
    return refuse("redemption_limit", { limit: maxPerUserPerStream, per: "user" });
  return null;
}
