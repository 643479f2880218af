import type { Db } from "mongodb";
import type { UserEvents } from "../../../contract/wire.ts";
import type { UserDoc } from "../../../store/mongo/accounts/users.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { type ReportCaseDoc, type ReportDoc, reportsIn } from "../../../store/mongo/safety/reports.ts";
import { type Banned, standingIn } from "../../accounts/public.ts";
import { type EffectHandlers, eachOf } from "../../host/effect.ts";
import type { ReportCommand, ReportContext, ReportEffects, ReportEvent, ReportInput } from "./machine.ts";
import { measuresIn } from "./measures.ts";
import { targetSnapshotsIn } from "./target-snapshot.ts";

/** What was read for a batch, kept up to date while the batch is decided. */
export type ReportReads = {
  /** Users of this batch who have reported in this case before. */
  reporters: Set<string>;
  /** The account against which measures would be taken; only read for measures. */
  subject: UserDoc | null;
  /** The streams of chat bans, by id. */
  streams: Map<string, StreamDoc>;
  /** A result of the transaction; valid after the commit. */
  taken: { banned: Banned | null };
};

export type ReportTypes = {
  command: ReportCommand;
  event: ReportEvent;
  context: ReportContext;
  input: ReportInput;
  effects: ReportEffects;
  reads: ReportReads;
  answer: { doc: ReportCaseDoc; taken: ReportReads["taken"] };
};

/** Effect handlers; they write in the same transaction as the snapshot. */
export function reportEffects(db: Db): EffectHandlers<ReportTypes> {
  const reports = reportsIn(db);
  const measures = measuresIn(db, standingIn(db));
  const snapshotOf = targetSnapshotsIn(db);

  return {
    addReport: {
      apply({ params: { reporterId } }, reads) {
        if (reporterId !== null) reads.reporters.add(reporterId);
      },
      async write(batches, session) {
        const snapshots = new Map(
          await Promise.all(
            batches.map(
              async ({ id, calls: [first] }) =>
                [id, first ? await snapshotOf(first.after.context, first.after.at) : null] as const,
            ),
          ),
        );
        const made = eachOf(batches).map(([{ params, after }, { id, outbox }]): ReportDoc => {
          const { targetType, targetId, streamId, subjectUserId } = after.context;
          const { reportId, reporterId, reasonCode, details } = params;
          if (targetType === "chat_message" && streamId !== null) {
            outbox.room(streamId, "mod.report", {
              id: reportId,
              target_type: targetType,
              target_id: targetId,
              reason_code: reasonCode,
              created_at: after.at.toISOString(),
            });
          }
          const about = { targetType, targetId, reasonCode, details };
          const snapshot = snapshots.get(id) ?? null;
          return {
            _id: reportId,
            caseId: id,
            reporterId,
            ...about,
            createdAt: after.at,
            subjectUserId,
            snapshot,
          };
        });
        await reports.insert(made, session);
      },
    },

    takeMeasures: {
      async write(batches, session) {
        for (const [{ after }, { id: caseId, outbox, reads, now: at }] of eachOf(batches)) {
          const { context } = after;
          const staffId = context.decidedBy;
          if (staffId === null) throw new Error("somebody decides on measures");
          reads.taken.banned = null;
          for (const measure of context.measures) {
            const taking = { caseId, context, measure, staffId, outbox, at };
            reads.taken.banned = (await measures[measure.type](taking, session)) ?? reads.taken.banned;
          }
        }
      },
    },

    tellReporters: {
      write(batches) {
        for (const [{ params, after }, { outbox, now: at }] of eachOf(batches)) {
          const { status } = after;
          if (status !== "actioned" && status !== "dismissed") throw new Error(`${status} isn't a decision`);
          const events: { userId: string; data: UserEvents["report.updated"] }[] = [];
          for (const { _id: id, reporterId: userId, targetType, targetId } of params.members) {
            if (userId === null) continue;
            events.push({ userId, data: { id, target_type: targetType, target_id: targetId, status } });
            const fact = { kind: "report" as const, ref: id, userId, at };
            outbox.notify({ ...fact, data: { reportId: id, targetType, targetId, status } });
          }
          outbox.users("report.updated", events);
        }
      },
    },
  };
}
