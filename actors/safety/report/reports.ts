import type { Clock } from "../../../base/clock.ts";
import { DAY_MS } from "../../../base/durations.ts";
import { isUuid, newId } from "../../../base/ids.ts";
import { ServiceError, unavailable } from "../../../contract/errors.ts";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import { streamsIn } from "../../../store/mongo/channels/streams.ts";
import { chatMessagesIn } from "../../../store/mongo/chat/chat-messages.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { clipsIn } from "../../../store/mongo/live/clips.ts";
import {
  type MeasureDoc,
  type ReportCaseDoc,
  type ReportDoc,
  type ReportReason,
  type ReportStatus,
  type ReportTargetType,
  reportsIn,
} from "../../../store/mongo/safety/reports.ts";
import type { Banned } from "../../accounts/public.ts";
import { createActorClient } from "../../host/actor-client.ts";
import type { Host } from "../../host/host.ts";
import { defineLifecycle } from "../../host/lifecycle.ts";
import { type ReportDefinition, reportDefinition } from "./definition.ts";
import type { ReportCommand, ReportInput } from "./machine.ts";

/** A reporter who repeats a report within this time gets the same report, even if it is decided. */
const SAME_WITHIN_MS = DAY_MS;
/** Retries of a report that each time races with the beginning or the end of a case. */
const MAX_ATTEMPTS = 5;

type NewReport = {
  reporterId: string | null;
  targetType: ReportTargetType;
  targetId: string;
  reasonCode: ReportReason;
  details: string | null;
};

/** The case, the staff member who handles it, and the idempotency key. */
export type CaseHandler = { caseId: string; staffId: string; key?: string | undefined };

export type Reports = ReturnType<typeof createReports>;

type Deps = { mongo: Mongo; host: Host; definition: ReportDefinition; clock: Clock };

/**
 * Reports, and what staff do about them. All undecided reports on one target are one case, an actor. Callers check who is staff;
 * the actor checks who may decide on what. Refusals are thrown as ServiceErrors.
 */
function createReports({ mongo, host, definition, clock }: Deps) {
  const reports = reportsIn(mongo.db);
  const users = usersIn(mongo.db);
  const streams = streamsIn(mongo.db);
  const messages = chatMessagesIn(mongo.db);
  const clips = clipsIn(mongo.db);
  const actors = createActorClient(host, definition);

  type Found = Pick<ReportInput, "subjectUserId" | "streamId">;

  /** The user responsible for the target, and its stream; null when there is no such target. */
  async function find(targetType: ReportTargetType, targetId: string): Promise<Found | null> {
    if (!isUuid(targetId)) return null;
    switch (targetType) {
      case "user": {
        const user = await users.findPublic(targetId);
        return user && user.status !== "deleted" ? { subjectUserId: user._id, streamId: null } : null;
      }
      case "stream": {
        const stream = await streams.find(targetId);
        return stream && { subjectUserId: stream.userId, streamId: stream._id };
      }
      case "chat_message": {
        const message = await messages.findAnywhere(targetId);
        return message && { subjectUserId: message.userId, streamId: message.streamId };
      }
      case "clip": {
        const clip = await clips.find(targetId);
        return clip && { subjectUserId: clip.userId, streamId: clip.streamId };
      }
    }
  }

  /** The reporter's existing report that this one repeats: in the undecided case, or from the last 24 hours. */
  async function alreadyMade({ reporterId, ...target }: NewReport): Promise<ReportDoc | null> {
    if (reporterId === null) return null;
    const latest = await reports.latest(reporterId, target);
    if (!latest) return null;
    if (latest.createdAt.getTime() > clock.now() - SAME_WITHIN_MS) return latest;
    return (await reports.findCase(latest.caseId))?.isOpen ? latest : null;
  }

  /** Adds a report to the undecided case of its target, or begins one. */
  async function add(report: NewReport, found: Found): Promise<ReportDoc> {
    const { reporterId, targetType, targetId, reasonCode, details } = report;
    const input = { targetType, targetId, ...found };
    for (let attempt = 1; ; attempt++) {
      const before = await alreadyMade(report);
      if (before) return before;
      const command = { type: "report", reportId: newId(), reporterId, reasonCode, details } as const;
      const open = await reports.openOf(report);
      const who = reporterId === null ? null : { by: reporterId };
      try {
        await actors.ask(open?._id ?? newId(), command, who, open ? {} : { input });
      } catch (err) {
        // Since the lookup another report began the case, or it was decided, or the reporter's own report came first.
        const isLate = err instanceof ServiceError && err.code === "invalid_state";
        if (!isLate) throw err;
        if (attempt === MAX_ATTEMPTS) throw unavailable({ cause: err });
        continue;
      }
      const made = await reports.find(command.reportId);
      if (!made) throw new Error("a report is kept with its case");
      return made;
    }
  }

  /** By the case's own id, or by that of one of its reports, which its reporter was shown. */
  async function requireCase(id: string): Promise<ReportCaseDoc> {
    const found = (await reports.findCase(id)) ?? (await caseOfReport(id));
    if (!found) throw new ServiceError("not_found");
    return found;
  }

  async function caseOfReport(reportId: string): Promise<ReportCaseDoc | null> {
    const report = await reports.find(reportId);
    return report && reports.findCase(report.caseId);
  }

  const act = ({ caseId, staffId, key }: CaseHandler, command: ReportCommand) =>
    actors.ask(caseId, command, { by: staffId, key });
  const handle = async (who: CaseHandler, command: ReportCommand) => (await act(who, command)).doc;

  return {
    /** Throws `not_found` for an unknown target, `self_target` for the reporter's own target. */
    async report(report: NewReport): Promise<ReportDoc> {
      const found = await find(report.targetType, report.targetId);
      if (!found) throw new ServiceError("not_found");
      if (found.subjectUserId === report.reporterId) throw new ServiceError("self_target");
      return add(report, found);
    },

    /** The case with that id, or of the report with that id. Throws `not_found`. */
    require: requireCase,
    casePage: reports.casePage,
    /** The cases about an account or something of its, the newest first. */
    pageAbout: reports.pageAbout,
    queue: reports.queue,
    firstOf: reports.firstOf,
    newestOf: (caseId: string, limit: number) => reports.newestOf(caseId, limit),
    /** A case's reports, the newest first. */
    pageOfCase: reports.pageOfCase,
    /** A reporter's reports, the newest first. */
    pageOf: reports.pageOf,
    /** The status of each of these reports, by id. */
    async statusesOf(docs: readonly ReportDoc[]): Promise<Map<string, ReportStatus>> {
      const cases = await reports.casesById(docs.map(({ caseId }) => caseId));
      const byCase = new Map(cases.map(({ _id, status }) => [_id, status]));
      return new Map(docs.map(({ _id, caseId }) => [_id, byCase.get(caseId) ?? "open"]));
    },
    /** The original contents of messages, by uuid; messages whose text no longer exists are left out. */
    async contentsOf(uuids: string[]): Promise<Map<string, string>> {
      const found = await messages.findMany(uuids);
      return new Map(found.filter(({ content }) => content !== "").map(({ _id, content }) => [_id, content]));
    },

    /**
     * Throws `not_found`, `forbidden` for staff who are the subject or a reporter of the case, `invalid_state` while somebody
     * else has claimed it.
     */
    claim: (who: CaseHandler) => handle(who, { type: "claim", staffId: who.staffId }),
    /** Throws `not_found`, `not_claimed`, `invalid_state`. */
    release: (who: CaseHandler) => handle(who, { type: "release", staffId: who.staffId }),
    dismiss: (who: CaseHandler, note: string | null) =>
      handle(who, { type: "dismiss", staffId: who.staffId, note }),
    /**
     * Executes the measures with the decision, and returns the account ban that they led to. Throws `forbidden` for measures that
     * can't be taken against that user.
     */
    async act(
      who: CaseHandler,
      measures: MeasureDoc[],
      note: string | null,
    ): Promise<{ doc: ReportCaseDoc; banned: Banned | null }> {
      const { doc, taken } = await act(who, { type: "act", staffId: who.staffId, measures, note });
      return { doc, banned: taken.banned };
    },

    /** The id under which a keyed request is stored once it has been executed. */
    keyOf: ({ staffId, key }: { staffId: string; key: string }, action: ReportCommand["type"]) =>
      actors.keyOf({ by: staffId, key }, action),

    history: actors.history,
  };
}

export const reportsLifecycle = defineLifecycle({
  define: ({ db }) => reportDefinition(db),
  open: createReports,
});
