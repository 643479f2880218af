import type { Db } from "mongodb";
import type { UserEvents } from "../../specs/contract/wire.ts";
import { type ReportCaseDoc, type ReportDoc, reportsIn } from "../../store/mongo/reports.ts";
import type { StreamDoc } from "../../store/mongo/streams.ts";
import type { UserDoc } from "../../store/mongo/users.ts";
import { type EffectHandlers, eachOf } from "../host/effect.ts";
import { type Banned, standingIn } from "../identity/account-standing.ts";
import type { ReportCommand, ReportContext, ReportEffects, ReportEvent, ReportInput } from "./machine.ts";
import { measuresIn } from "./measures.ts";

/** What a batch read, kept up to date while it is decided. */
export type ReportReads = {
  /** Who has reported in this case, of those who report in this batch. */
  reporters: Set<string>;
  /** Whom measures would be taken against; only looked up for them. */
  subject: UserDoc | null;
  /** By id: the streams of chat bans. */
  streams: Map<string, StreamDoc>;
  /** What the transaction found out: it is there once the commit is. */
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

/** What each effect means, written into the same transaction as the snapshot. */
export function reportEffects(db: Db): EffectHandlers<ReportTypes> {
  const reports = reportsIn(db);
  const measures = measuresIn(db, standingIn(db));

  return {
    addReport: {
      apply({ params: { reporterId } }, reads) {
        if (reporterId !== null) reads.reporters.add(reporterId);
      },
      async write(batches, session) {
        const made = eachOf(batches).map(([{ params, after }, { id, outbox }]): ReportDoc => {
          const { targetType, targetId, streamId } = after.context;
          const { reportId, reporterId, reasonCode, details } = params;
          if (targetType === "chat_message" && streamId !== null) {
            outbox.room(streamId, "mod.report", {
              ...{ id: reportId, target_type: targetType, target_id: targetId },
              ...{ reason_code: reasonCode, created_at: after.at.toISOString() },
            });
          }
          const about = { targetType, targetId, reasonCode, details };
          return { _id: reportId, caseId: id, reporterId, ...about, createdAt: after.at };
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
