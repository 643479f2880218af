import type { ClientSession, Db } from "mongodb";
import type { UserDoc } from "../accounts/users.ts";
import { byIds, putAll } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

export const REPORT_TARGETS = ["user", "stream", "clip", "chat_message"] as const;
export type ReportTargetType = (typeof REPORT_TARGETS)[number];

/** Ordered by severity, worst first. */
export const REPORT_REASONS = [
  "self_harm",
  "illegal",
  "violence",
  "sexual_content",
  "hate",
  "harassment",
  "spam",
  "other",
] as const;
export type ReportReason = (typeof REPORT_REASONS)[number];

export const REPORT_STATUSES = ["open", "reviewing", "actioned", "dismissed"] as const;
export type ReportStatus = (typeof REPORT_STATUSES)[number];

export const MEASURES = ["warning", "remove_content", "chat_ban", "strike", "account_ban"] as const;

/** What staff did about a target; `id` is also that of the strike or ban. */
export type MeasureDoc = {
  id: string;
  type: (typeof MEASURES)[number];
  reason: string;
  /** Only for a chat ban: its duration and room. */
  durationSeconds: number | null;
  streamId: string | null;
};

/** What a target showed when it was reported: all that `remove_content` clears. */
export type TargetSnapshotDoc = {
  title: string | null;
  /** Of a stream the titles that its schedule announced, one a line. */
  text: string | null;
  tags: string[];
  imageUrl: string | null;
  bannerUrl: string | null;
  socialLinks: UserDoc["socialLinks"];
  seoTags: UserDoc["seoTags"];
};

/** One reporter's report; its status is that of its case. */
export type ReportDoc = {
  _id: string;
  caseId: string;
  /** Null for an anonymous report. */
  reporterId: string | null;
  targetType: ReportTargetType;
  targetId: string;
  reasonCode: ReportReason;
  details: string | null;
  createdAt: Date;
  /**
   * Both are absent in reports of the release before. `snapshot` is null as well for a message, which keeps its own text, and 90 days
   * after the decision.
   */
  subjectUserId?: string;
  snapshot?: TargetSnapshotDoc | null;
};

/** All reports on one target, decided together: written by its actor with every commit, never by anyone else. */
export type ReportCaseDoc = {
  _id: string;
  targetType: ReportTargetType;
  targetId: string;
  /** The user responsible for the target. */
  subjectUserId: string;
  /** For messages and streams. */
  streamId: string | null;
  status: ReportStatus;
  /** Undecided: at most one per target. */
  isOpen: boolean;
  /** The worst of its reports' reasons. */
  reasonCode: ReportReason;
  reportCount: number;
  /** Higher comes first; computed from the reason and the number of reports. */
  priority: number;
  claimedBy: string | null;
  claimedUntil: Date | null;
  decidedBy: string | null;
  decidedAt: Date | null;
  measures: MeasureDoc[];
  /** Only visible to staff. */
  note: string | null;
  createdAt: Date;
};

/** The unique index that allows one open case per target, as `violatedIndex` names it. */
export const ONE_CASE_A_TARGET = "report_cases.one_open_a_target";

const ofKind = { status: 1, targetType: 1, reasonCode: 1 } as const;
const queueOrder = { priority: -1, createdAt: 1, _id: 1 } as const;

export const reportCasesCollection = defineCollection<ReportCaseDoc>("report_cases", {
  personal: {
    actor: "report",
    erase: {
      targetId: "anonymise",
      subjectUserId: "anonymise",
      claimedBy: "anonymise",
      decidedBy: "anonymise",
    },
    exports: { nothing: "what others reported; what staff did about it is exported as strikes and bans" },
  },

  indexes: [
    {
      key: { targetType: 1, targetId: 1 },
      unique: true,
      partialFilterExpression: { isOpen: true },
      name: "one_open_a_target",
    }, // openOf
    { key: { isOpen: 1, ...queueOrder } }, // page of the queue
    { key: { status: 1, ...queueOrder } }, // page of a status
    { key: { targetId: 1, decidedAt: -1 } }, // deletedTextsIn
    { key: { isOpen: 1, createdAt: 1, _id: 1 } }, // page of the queue, oldest first; queue
    { key: { status: 1, createdAt: 1, _id: 1 } }, // page of a status, oldest first
    // Page of a status by kind, by reason or by both: the one that any of will do is read value by value, merged in the order.
    { key: { ...ofKind, ...queueOrder } },
    { key: { ...ofKind, createdAt: 1, _id: 1 } },
    { key: { subjectUserId: 1, createdAt: -1, _id: -1 } }, // pageAbout
    { key: { decidedAt: 1 } }, // queue
  ],
});

export const reportsCollection = defineCollection<ReportDoc>("reports", {
  personal: {
    erase: {
      reporterId: { does: "anonymise", sets: { details: null } },
      subjectUserId: { does: "anonymise", sets: { snapshot: null } },
      targetId: "anonymise",
    },
    exports: [
      { by: "reporterId", shows: ["_id", "targetType", "targetId", "reasonCode", "details", "createdAt"] },
    ],
  },

  indexes: [
    { key: { reporterId: 1 }, partialFilterExpression: { reporterId: { $gte: "" } } }, // export and erasure

    { key: { subjectUserId: 1 } }, // erasure
    { key: { createdAt: 1 }, partialFilterExpression: { snapshot: { $type: "object" } } }, // keptTargetsIn
    { key: { caseId: 1, _id: 1 } }, // after, newestOf, pageOfCase, first
    { key: { reporterId: 1, createdAt: -1, _id: -1 } }, // pageOf
    { key: { reporterId: 1, targetType: 1, targetId: 1, createdAt: -1 } }, // latest, ofReporters
  ],
});

/** Null: undecided cases, and those of any kind. */
type CaseFilter = {
  status: ReportStatus | null;
  targetType: ReportTargetType | null;
  reasonCode: ReportReason | null;
  order: "urgent" | "oldest";
};

/** How much waits in a queue of staff's. */
export type QueueFigures = { waiting: number; claimed: number; oldestAt: Date | null; decided: number };

const OLDEST_FIRST = { createdAt: 1, _id: 1 } as const;

type Target = Pick<ReportDoc, "targetType" | "targetId">;

export function reportsIn(db: Db) {
  const reports = reportsCollection.in(db);
  const cases = reportCasesCollection.in(db);
  return {
    async insert(docs: ReportDoc[], session: ClientSession): Promise<void> {
      if (docs.length > 0) await reports.insertMany(docs, { session });
    },
    find: (reportId: string) => reports.findOne({ _id: reportId }),
    latest: (reporterId: string, { targetType, targetId }: Target) =>
      reports.findOne({ reporterId, targetType, targetId }, { sort: { createdAt: -1 } }),
    /** Reports by these users in one case. */
    ofReporters: (caseId: string, reporterIds: string[], { targetType, targetId }: Target) =>
      reports.find({ reporterId: { $in: reporterIds }, targetType, targetId, caseId }).toArray(),
    /** Reports of a case, ordered by id. */
    after: (caseId: string, cursor: string, limit: number) =>
      reports
        .find({ caseId, _id: { $gt: cursor } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    /** The newest reports of a case. */
    newestOf: (caseId: string, limit: number) =>
      reports.find({ caseId }).sort({ _id: -1 }).limit(limit).toArray(),
    /** All reports of a case, newest first. */
    pageOfCase: (caseId: string, range: Range) => pageIn(reports, { caseId }, { _id: -1 }, range),
    /** The first report of each case; `kept` is what the first one that kept its target did. */
    async firstOf(caseIds: string[]): Promise<(ReportDoc & { kept: TargetSnapshotDoc | null })[]> {
      const found = await Promise.all(
        caseIds.map(async (caseId) => {
          const first = await reports.findOne({ caseId }, { sort: { _id: 1 } });
          if (!first) return [];
          // Only those of the release before lack it.
          const keeps =
            first.snapshot === undefined
              ? await reports.findOne({ caseId, snapshot: { $type: "object" } }, { sort: { _id: 1 } })
              : first;
          return [{ ...first, kept: keeps?.snapshot ?? null }];
        }),
      );
      return found.flat();
    },
    /** A reporter's own reports, newest first. */
    pageOf: (reporterId: string, range: Range) =>
      pageIn(reports, { reporterId }, { createdAt: -1, _id: -1 }, range),

    findCase: (caseId: string) => cases.findOne({ _id: caseId }),
    casesById: (caseIds: string[]) => byIds(cases, [...new Set(caseIds)]),
    openOf: ({ targetType, targetId }: Target) => cases.findOne({ targetType, targetId, isOpen: true }),
    /** In queue order, or oldest first. */
    casePage: ({ status, targetType, reasonCode, order }: CaseFilter, range: Range) => {
      const sort = order === "oldest" ? OLDEST_FIRST : queueOrder;
      const kind = {
        ...(targetType === null ? {} : { targetType }),
        ...(reasonCode === null ? {} : { reasonCode }),
      };
      // With hints, since the planner might sort what another index finds.
      if (status === null)
        return pageIn(cases, { isOpen: true, ...kind }, sort, { ...range, hint: { isOpen: 1, ...sort } });
      if (targetType === null && reasonCode === null)
        return pageIn(cases, { status }, sort, { ...range, hint: { status: 1, ...sort } });
      // Decided ones are kept for good, so that one kind may be rare among them.
      const any = { targetType: { $in: [...REPORT_TARGETS] }, reasonCode: { $in: [...REPORT_REASONS] } };
      // Without a cursor, which this list never has: its condition would keep the merge from being in order.
      const { skip, limit } = range;
      return pageIn(cases, { status, ...any, ...kind }, sort, { skip, limit, hint: { ...ofKind, ...sort } });
    },
    /** The newest first. */
    pageAbout: (subjectUserId: string, range: Range) =>
      pageIn(cases, { subjectUserId }, { createdAt: -1, _id: -1 }, range),
    queue: async (decidedSince: Date): Promise<QueueFigures> => {
      const [waiting, claimed, oldest, decided] = await Promise.all([
        cases.countDocuments({ isOpen: true }),
        cases.countDocuments({ status: "reviewing" }),
        cases.findOne({ isOpen: true }, { sort: { createdAt: 1 }, projection: { createdAt: 1 } }),
        cases.countDocuments({ decidedAt: { $gte: decidedSince } }),
      ]);
      return { waiting, claimed, oldestAt: oldest?.createdAt ?? null, decided };
    },
    /** A second open case of a target causes a duplicate key. */
    saveCases: (docs: ReportCaseDoc[], session: ClientSession) => putAll(cases, docs, session),
  };
}
