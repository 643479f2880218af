import { expect } from "chai";
import type { Db } from "mongodb";
import { pathOf } from "../../../actors/host/snapshot-codec.ts";
import type { UserDoc } from "../../../store/mongo/accounts/users.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import type { HistoryDoc } from "../../../store/mongo/host/history.ts";
import type { SnapshotDoc } from "../../../store/mongo/host/snapshots.ts";
import type { TimerDoc } from "../../../store/mongo/host/timers.ts";
import type { BroadcastDoc } from "../../../store/mongo/live/broadcasts.ts";
import type { PublisherDoc } from "../../../store/mongo/live/publishers.ts";
import type { SubscriptionDoc } from "../../../store/mongo/monetization/subscriptions.ts";
import type { LedgerDoc } from "../../../store/mongo/points/ledger.ts";
import type { PredictionDoc } from "../../../store/mongo/points/predictions.ts";
import type { RedemptionDoc } from "../../../store/mongo/points/redemptions.ts";
import type { RewardDoc } from "../../../store/mongo/points/rewards.ts";
import type { RaidDoc } from "../../../store/mongo/raids/raids.ts";
import type { MeasureDoc, ReportCaseDoc } from "../../../store/mongo/safety/reports.ts";
import { expectCounted } from "../chat/poll/counted-votes.ts";
import { historiesIn } from "./histories.ts";

/** By state: the timers that an actor in it must have, by the suffix of their names. Other states have none. */
const WAITING: Record<string, readonly string[]> = {
  "prediction active": ["prediction.active"],
  "prediction locked": ["prediction.locked"],
  "prediction resolved.paying": ["settle"],
  "prediction cancelled.refunding": ["settle"],
  "report reviewing": ["report.reviewing"],
  "report actioned.telling": ["settle"],
  "report dismissed.telling": ["settle"],
  "subscription active": ["subscription.active"],
  "subscription past_due": ["subscription.past_due"],
  "subscription cancelled": ["subscription.cancelled"],
  "reward deleted.refunding": ["settle"],
  "redemption pending": ["redemption.pending"],
  "poll active": ["poll.active"],
  "raid pending.held": ["countdown", "raid.pending.held"],
  "raid pending.ready": ["countdown"],
  "raid active.arriving": ["raid.active.arriving"],
  "raid active.settling": ["settle"],
  "live-stream starting": ["live-stream.starting"],
  "live-stream interrupted": ["live-stream.interrupted"],
};

/**
 * Checks that the stored parts of these actors, or of all, agree: snapshot, history, document and timers. Returns the number
 * of actors.
 * Call it when no work is in progress and all due timers have fired.
 */
export async function expectAgreement(db: Db, actors?: string[]): Promise<number> {
  const [ids, ofActors] = actors ? [{ _id: { $in: actors } }, { actor: { $in: actors } }] : [{}, {}];
  const snapshots = await db.collection<SnapshotDoc>("snapshots").find(ids).toArray();
  const timers = await db.collection<TimerDoc>("timers").find(ofActors).toArray();
  const histories = await historiesIn(db, actors);
  for (const snapshot of snapshots) {
    const path = stateOf(snapshot).path;
    const history = histories.get(snapshot._id) ?? [];
    expectChain(snapshot, path, history);
    const own = timers.filter((timer) => timer.actor === snapshot._id);
    expectTimers(`${snapshot.machine} ${path}`, own);
    if (snapshot.machine === "prediction") await expectPrediction(db, snapshot);
    if (snapshot.machine === "poll")
      await expectCounted(db, snapshot._id.slice("poll:".length), stateOf(snapshot));
    if (snapshot.machine === "report") await expectReportCase(db, snapshot);
    if (snapshot.machine === "reward") await expectReward(db, snapshot);
    if (snapshot.machine === "redemption") await expectRedemption(db, snapshot);
    if (snapshot.machine === "live-stream") await expectStream(db, snapshot);
    if (snapshot.machine === "raid") await expectRaid(db, snapshot);
    if (snapshot.machine === "subscription") await expectSubscription(db, snapshot);
  }
  const known = new Set(snapshots.map((snapshot) => snapshot._id));
  const orphans = timers.filter((timer) => !known.has(timer.actor));
  expect(orphans, "timers of actors that aren't there").deep.equal([]);
  return snapshots.length;
}

/** Checks that no outbox row is pending or parked, and that no timer is leased by a process that is gone. */
export async function expectNothingLeftOver(db: Db): Promise<void> {
  expect(await db.collection("outbox").find().toArray(), "rows that nobody published").deep.equal([]);
  expect(
    await db
      .collection("timers")
      .find({ leasedBy: { $ne: null } })
      .toArray(),
    "leases",
  ).deep.equal([]);
}

type Stored = { value: Parameters<typeof pathOf>[0]; context: Record<string, unknown> };

function isStored(snapshot: unknown): snapshot is Stored {
  return typeof snapshot === "object" && snapshot !== null && "value" in snapshot && "context" in snapshot;
}

function stateOf({ _id, snapshot }: SnapshotDoc) {
  if (!isStored(snapshot)) throw new Error(`${_id} is no snapshot`);
  const path = pathOf(snapshot.value);
  return { path, status: path.split(".")[0] ?? path, context: snapshot.context };
}

function expectChain({ _id, version }: SnapshotDoc, path: string, history: HistoryDoc[]): void {
  const went = history.map(({ from, to }) => [from, to]);
  const chained = history.map(({ to }, i) => [history[i - 1]?.to ?? null, to]);
  expect(went, `the history of ${_id}`).deep.equal(chained);
  expect(history.at(-1)?.to, `the last state of ${_id}`).equal(path);
  expect(history.at(-1)?.version ?? 0, `versions of ${_id}`).at.most(version);
}

function expectTimers(state: string, own: TimerDoc[]): void {
  const wanted = WAITING[state] ?? [];
  const names = own.map((timer) => timer.timerId);
  expect(own.length, `timers in ${state}: ${names}`).equal(wanted.length);
  for (const end of wanted) {
    expect(
      names.some((name) => name.endsWith(end)),
      `a timer ${end} among ${names}`,
    ).equal(true);
  }
}

async function expectPrediction(db: Db, snapshot: SnapshotDoc): Promise<void> {
  const { path, status, context } = stateOf(snapshot);
  const id = snapshot._id.slice("prediction:".length);
  const doc = await db.collection<PredictionDoc>("predictions").findOne({ _id: id });
  expect(doc, `the document of ${snapshot._id}`).deep.include({
    status,
    isOpen: status === "active" || status === "locked",
    isSettled: path === "resolved.paid" || path === "cancelled.refunded",
    streamId: context.streamId,
    resolvedOutcomeId: context.resolvedOutcomeId,
    locksAt: new Date(Number(context.locksAt)),
  });
  const pools = doc?.outcomes.map(({ id, title, color, pointsPool: pool, bettorCount: bettors }) => ({
    id,
    title,
    color,
    pool,
    bettors,
  }));
  expect(context.outcomes, `the pools of ${snapshot._id}`).deep.equal(pools);
}

/** Checks that all measures of a decided report were applied, and none of an undecided one. */
async function expectReportCase(db: Db, snapshot: SnapshotDoc): Promise<void> {
  const { status, context } = stateOf(snapshot);
  const id = snapshot._id.slice("report:".length);
  const doc = await db.collection<ReportCaseDoc>("report_cases").findOne({ _id: id });
  const isOpen = status === "open" || status === "reviewing";
  const { claimedBy, decidedBy, reportCount, measures } = context;
  expect(doc, `the document of ${snapshot._id}`).deep.include({
    status,
    isOpen,
    claimedBy,
    decidedBy,
    measures,
  });
  expect(await db.collection("reports").countDocuments({ caseId: id }), `reports of ${id}`).equal(
    reportCount,
  );
  const types = status === "actioned" ? (doc?.measures ?? []).map(({ type }) => type) : [];
  const countOf = (type: MeasureDoc["type"]) => types.filter((one) => one === type).length;
  const done = (collection: string) => db.collection(collection).countDocuments({ reportId: id });
  expect(await done("strikes"), `strikes of ${id}`).equal(countOf("strike"));
  expect(await done("account_bans"), `bans of ${id}`).equal(countOf("account_ban"));
  const subject = await db.collection<UserDoc>("users").findOne({ _id: doc?.subjectUserId ?? "" });
  if (types.includes("account_ban")) expect(subject?.status).equal("banned");
}

async function expectReward(db: Db, snapshot: SnapshotDoc): Promise<void> {
  const { status, context } = stateOf(snapshot);
  const id = snapshot._id.slice("reward:".length);
  const doc = await db.collection<RewardDoc>("rewards").findOne({ _id: id });
  if (status === "deleted") expect(doc, `the deleted ${snapshot._id}`).equal(null);
  else expect(doc, `the document of ${snapshot._id}`).include({ title: context.title, cost: context.cost });
  if (status !== "deleted") return;
  const pending = await db.collection("redemptions").countDocuments({ rewardId: id, status: "pending" });
  expect(pending, `pending redemptions of the deleted ${snapshot._id}`).equal(0);
}

async function expectRedemption(db: Db, snapshot: SnapshotDoc): Promise<void> {
  const id = snapshot._id.slice("redemption:".length);
  const doc = await db.collection<RedemptionDoc>("redemptions").findOne({ _id: id });
  expect(doc?.status, `the document of ${snapshot._id}`).equal(stateOf(snapshot).status);
}

async function expectSubscription(db: Db, snapshot: SnapshotDoc): Promise<void> {
  const id = snapshot._id.slice("subscription:".length);
  const doc = await db.collection<SubscriptionDoc>("subscriptions").findOne({ _id: id });
  expect(doc?.status, `the document of ${snapshot._id}`).equal(stateOf(snapshot).status);
}

async function expectRaid(db: Db, snapshot: SnapshotDoc): Promise<void> {
  const { path, status, context } = stateOf(snapshot);
  const id = snapshot._id.slice("raid:".length);
  const doc = await db.collection<RaidDoc>("raids").findOne({ _id: id });
  expect(doc, `the document of ${snapshot._id}`).deep.include({
    status,
    isOpen: status === "pending" || status === "active",
    takesArrivals: path === "active.arriving",
    viewerCount: context.viewers,
  });
  if (status !== "completed") return;
  const entries = await db.collection<LedgerDoc>("ledger").find({ ref: id, reason: "raid" }).toArray();
  const paid = new Set(entries.map(({ userId }) => userId));
  expect(paid.size, `those who were paid once for ${snapshot._id}`).equal(entries.length);
  // The others were paid for another raid into the same broadcast.
  const before = { reason: "raid" as const, ref: { $ne: id }, channelUserId: String(context.targetUserId) };
  const others = await db.collection<LedgerDoc>("ledger").distinct("userId", before);
  expect(paid.size, `those who were paid for ${snapshot._id}`).at.most(Number(context.viewers));
  if (others.length === 0) expect(paid.size).equal(context.viewers);
}

async function expectStream(db: Db, snapshot: SnapshotDoc): Promise<void> {
  const { status, context } = stateOf(snapshot);
  const id = snapshot._id.slice("live-stream:".length);
  const isLive = status === "live" || status === "interrupted";
  const stream = await db.collection<StreamDoc>("streams").findOne({ _id: id });
  expect(stream, `the stream of ${snapshot._id}`).deep.include({
    isLive,
    sessionId: isLive ? context.sessionId : null,
    liveSince: isLive ? new Date(Number(context.liveSince)) : null,
  });
  const publisher = await db.collection<PublisherDoc>("publishers").findOne({ _id: id });
  expect(publisher?.clientId ?? null, `the publisher of ${id}`).equal(context.clientId);
  const running = await db
    .collection<BroadcastDoc>("broadcasts")
    .find({ streamId: id, endedAt: null })
    .toArray();
  expect(
    running.map((broadcast) => broadcast._id),
    `running broadcasts of ${id}`,
  ).deep.equal(isLive ? [context.sessionId] : []);
}
