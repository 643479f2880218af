import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import { isUuid, newId } from "../../store/ids.ts";
import { chatMessagesIn } from "../../store/mongo/chat-messages.ts";
import { clipsIn } from "../../store/mongo/clips.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import {
  type MeasureDoc,
  type ReportCaseDoc,
  type ReportDoc,
  type ReportReason,
  type ReportStatus,
  type ReportTargetType,
  reportsIn,
} from "../../store/mongo/reports.ts";
import { streamsIn } from "../../store/mongo/streams.ts";
import { usersIn } from "../../store/mongo/users.ts";
import { createActorClient } from "../host/actor-client.ts";
import type { Host } from "../host/host.ts";
import type { Banned } from "../identity/account-standing.ts";
import type { ReportDefinition } from "./definition.ts";
import type { ReportCommand, ReportInput } from "./machine.ts";

/** A reporter who says it again within this time gets the same report, also when it is decided. */
const SAME_WITHIN_MS = 24 * 3_600_000;
/** Of a report that meets the beginning or the end of a case each time. */
const MAX_ATTEMPTS = 5;

export type NewReport = {
  reporterId: string | null;
  targetType: ReportTargetType;
  targetId: string;
  reasonCode: ReportReason;
  details: string | null;
};

/** Whose handling of a case it is. */
export type Handling = { caseId: string; staffId: string; key?: string | undefined };

export type Reports = ReturnType<typeof createReports>;

type Deps = { mongo: Mongo; host: Host; definition: ReportDefinition; clock: Clock };

/**
 * Reports, and what staff do about them. All undecided reports on one target are one case, an actor. Who is staff is checked
 * before; who may decide on what is decided by the actor. Refusals are thrown as ServiceErrors.
 */
export function createReports({ mongo, host, definition, clock }: Deps) {
  const reports = reportsIn(mongo.db);
  const users = usersIn(mongo.db);
  const streams = streamsIn(mongo.db);
  const messages = chatMessagesIn(mongo.db);
  const clips = clipsIn(mongo.db);
  const actors = createActorClient(host, definition);

  type Found = Pick<ReportInput, "subjectUserId" | "streamId">;

  /** Whose doing the target is; null when there is no such target. */
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

  /** The reporter's own that stands for this one: of the undecided case, or of the last 24 hours. */
  async function alreadyMade({ reporterId, ...target }: NewReport): Promise<ReportDoc | null> {
    if (reporterId === null) return null;
    const latest = await reports.latest(reporterId, target);
    if (!latest) return null;
    if (latest.createdAt.getTime() > clock.now() - SAME_WITHIN_MS) return latest;
    return (await reports.findCase(latest.caseId))?.isOpen ? latest : null;
  }

  /** Into the undecided case of its target, or into one that it begins. */
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
        // Another one began the case, or it was decided, or the reporter's own came first, since it was looked for.
        const isLate = err instanceof ServiceError && err.code === "invalid_state";
        if (!isLate) throw err;
        if (attempt === MAX_ATTEMPTS)
          throw new ServiceError("unavailable", { retry_after_ms: 1_000 }, { cause: err });
        continue;
      }
      const made = await reports.find(command.reportId);
      if (!made) throw new Error("a report is kept with its case");
      return made;
    }
  }

  async function requireCase(caseId: string): Promise<ReportCaseDoc> {
    const found = await reports.findCase(caseId);
    if (!found) throw new ServiceError("not_found");
    return found;
  }

  const act = ({ caseId, staffId, key }: Handling, command: ReportCommand) =>
    actors.ask(caseId, command, { by: staffId, key });
  const handle = async (who: Handling, command: ReportCommand) => (await act(who, command)).doc;

  return {
    /** Throws `not_found` for a target that there isn't, `self_target` for what is one's own. */
    async report(report: NewReport): Promise<ReportDoc> {
      const found = await find(report.targetType, report.targetId);
      if (!found) throw new ServiceError("not_found");
      if (found.subjectUserId === report.reporterId) throw new ServiceError("self_target");
      return add(report, found);
    },

    /** Throws `not_found`. */
    require: requireCase,
    casePage: (status: ReportStatus | null, skip: number, limit: number) =>
      reports.casePage(status, skip, limit),
    firstOf: reports.firstOf,
    newestOf: (caseId: string, limit: number) => reports.newestOf(caseId, limit),
    /** A reporter's own, the newest first. */
    pageOf: reports.pageOf,
    /** How each of these reports stands. */
    async statusesOf(docs: readonly ReportDoc[]): Promise<Map<string, ReportStatus>> {
      const cases = await reports.casesById(docs.map(({ caseId }) => caseId));
      const byCase = new Map(cases.map(({ _id, status }) => [_id, status]));
      return new Map(docs.map(({ _id, caseId }) => [_id, byCase.get(caseId) ?? "open"]));
    },
    /** A message's words as they were said, by the message's uuid; those that are gone are left out. */
    async contentsOf(uuids: string[]): Promise<Map<string, string>> {
      const found = await messages.findMany(uuids);
      return new Map(found.map(({ _id, content }) => [_id, content]));
    },

    /** Throws `not_found`, `forbidden` for one's own doing and one's own report, `invalid_state` while another one has it. */
    claim: (who: Handling) => handle(who, { type: "claim", staffId: who.staffId }),
    /** Throws `not_found`, `not_claimed`, `invalid_state`. */
    release: (who: Handling) => handle(who, { type: "release", staffId: who.staffId }),
    dismiss: (who: Handling, note: string | null) =>
      handle(who, { type: "dismiss", staffId: who.staffId, note }),
    /**
     * Takes the measures with the decision, and gives back the ban that it led to. Throws `forbidden` for those that nobody
     * takes against that user.
     */
    async act(
      who: Handling,
      measures: MeasureDoc[],
      note: string | null,
    ): Promise<{ doc: ReportCaseDoc; banned: Banned | null }> {
      const { doc, taken } = await act(who, { type: "act", staffId: who.staffId, measures, note });
      return { doc, banned: taken.banned };
    },

    /** Under which that is kept once it has happened. */
    keyOf: ({ staffId, key }: { staffId: string; key: string }, action: ReportCommand["type"]) =>
      actors.keyOf({ by: staffId, key }, action),

    history: actors.history,
  };
}
