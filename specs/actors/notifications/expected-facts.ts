import { expect } from "chai";
import type { Db } from "mongodb";
import type { UnbanRequestDoc } from "../../../store/mongo/chat/unban-requests.ts";
import type { BroadcastDoc } from "../../../store/mongo/live/broadcasts.ts";
import type { CheckoutDoc } from "../../../store/mongo/monetization/checkouts.ts";
import type { TipDoc } from "../../../store/mongo/monetization/tips.ts";
import {
  type NotificationFactDoc,
  notificationFactsCollection,
} from "../../../store/mongo/notifications/notification-facts.ts";
import type { RedemptionDoc } from "../../../store/mongo/points/redemptions.ts";
import type { RaidDoc } from "../../../store/mongo/raids/raids.ts";
import type { ReportCaseDoc, ReportDoc } from "../../../store/mongo/safety/reports.ts";

/** A user's notification facts, oldest first. */
export const factsOf = (db: Db, userId: string): Promise<NotificationFactDoc[]> =>
  notificationFactsCollection.in(db).find({ userId }).sort({ createdAt: 1, _id: 1 }).toArray();

type Named = { streamId: string; ownerId: string };

/**
 * Checks a channel's notification facts against what has happened there, whatever died when: each decision, payment, raid, report
 * and broadcast once, and nothing that didn't happen.
 */
export async function expectFacts(db: Db, { streamId, ownerId }: Named): Promise<void> {
  const find = <T extends object>(name: string, filter: object) =>
    db.collection(name).find<T>(filter).toArray();
  const happened: [id: string, isSo: boolean][] = [];
  for (const { _id, redeemerId, status } of await find<RedemptionDoc>("redemptions", { streamId }))
    happened.push([`redemption:${_id}:${redeemerId}`, status !== "pending"]);
  for (const { _id, targetUserId, status } of await find<RaidDoc>("raids", { sourceStreamId: streamId }))
    happened.push([`raid:${_id}:${targetUserId}`, status === "completed"]);
  for (const { _id, paidAt } of await find<TipDoc>("tips", { toUserId: ownerId }))
    happened.push([`tip:${_id}:${ownerId}`, paidAt !== null]);
  for (const { _id, paidAt } of await find<CheckoutDoc>("checkouts", { channelUserId: ownerId }))
    happened.push([`subscription:${_id}:${ownerId}`, paidAt !== null]);
  for (const { _id, userId, status } of await find<UnbanRequestDoc>("unban_requests", { streamId }))
    happened.push([`unban_request:${_id}:${userId}`, status === "approved" || status === "denied"]);
  for (const { _id } of await find<BroadcastDoc>("broadcasts", { streamId }))
    happened.push([`stream_live:${_id}:${ownerId}`, true]);
  const cases = await find<ReportCaseDoc>("report_cases", { targetId: streamId });
  for (const { _id: caseId, isOpen, measures, subjectUserId } of cases) {
    for (const { type, id } of measures) happened.push([`measure:${type}:${id}:${subjectUserId}`, true]);
    for (const { _id, reporterId } of await find<ReportDoc>("reports", { caseId }))
      happened.push([`report:${_id}:${reporterId}`, !isOpen]);
  }
  const possible = { _id: { $in: happened.map(([id]) => id) } };
  const written = await notificationFactsCollection.in(db).find(possible).toArray();
  const due = happened.flatMap(([id, isSo]) => (isSo ? [id] : []));
  expect(written.map(({ _id }) => _id).sort(), "notification facts").deep.equal(due.sort());
}
