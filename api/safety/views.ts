import { ownUserView, userSummary } from "../../actors/accounts/profile/views.ts";
import type { StaffAccount } from "../../actors/safety/accounts.ts";
import type {
  AccountBan,
  Appeal,
  OwnChatBan,
  OwnStrike,
  Report,
  ReportCase,
  StaffAppeal,
  StaffLogEntry,
  StaffQueue,
  StaffReport,
  StaffSupportRequest,
  StaffUser,
  Strike,
  SupportRequest,
  TargetSnapshot,
  UserSummary,
} from "../../contract/wire.ts";
import type { AccountBanDoc } from "../../store/mongo/accounts/account-bans.ts";
import type { UserWithoutSecrets } from "../../store/mongo/accounts/users.ts";
import type { ChatBanDoc } from "../../store/mongo/chat/chat-bans.ts";
import { type AppealDoc, claimOf } from "../../store/mongo/safety/appeals.ts";
import {
  MEASURES,
  type QueueFigures,
  type ReportCaseDoc,
  type ReportDoc,
  type ReportStatus,
  type TargetSnapshotDoc,
} from "../../store/mongo/safety/reports.ts";
import type { StaffLogDoc } from "../../store/mongo/safety/staff-log.ts";
import type { StrikeDoc } from "../../store/mongo/safety/strikes.ts";
import type { SupportRequestDoc } from "../../store/mongo/safety/support-requests.ts";

type UsersById = ReadonlyMap<string, UserWithoutSecrets>;

/** Null for no user, and for an account that was erased. */
function summaryIn(users: UsersById, userId: string | null): UserSummary | null {
  const user = userId === null ? undefined : users.get(userId);
  return user ? userSummary(user) : null;
}

const timeOf = (date: Date | null) => date?.toISOString() ?? null;

export function reportView(doc: ReportDoc, status: ReportStatus, users: UsersById): Report {
  return {
    id: doc._id,
    reporter: summaryIn(users, doc.reporterId),
    target_type: doc.targetType,
    target_id: doc.targetId,
    reason_code: doc.reasonCode,
    details: doc.details,
    status,
    created_at: doc.createdAt.toISOString(),
  };
}

/** A report as staff see it: with what its target showed then. */
export const staffReportView = (doc: ReportDoc, status: ReportStatus, users: UsersById): StaffReport => ({
  ...reportView(doc, status, users),
  snapshot: snapshotView(doc.snapshot),
});

const snapshotView = (snapshot: TargetSnapshotDoc | null | undefined): TargetSnapshot | null =>
  snapshot
    ? {
        title: snapshot.title,
        text: snapshot.text,
        tags: snapshot.tags,
        image_url: snapshot.imageUrl,
        banner_url: snapshot.bannerUrl,
        social_links: snapshot.socialLinks,
        seo_tags: snapshot.seoTags,
      }
    : null;

type FirstReport = ReportDoc & { kept: TargetSnapshotDoc | null };

/** `first` is the case's first report, with what was kept of the target; `content` the text of a reported message. */
export function reportCaseView(
  doc: ReportCaseDoc,
  seen: { first: FirstReport | undefined; content: string | null; users: UsersById },
): ReportCase {
  const { first, content, users } = seen;
  return {
    id: doc._id,
    reporter: summaryIn(users, first?.reporterId ?? null),
    target_type: doc.targetType,
    target_id: doc.targetId,
    reason_code: doc.reasonCode,
    details: first?.details ?? null,
    status: doc.status,
    created_at: doc.createdAt.toISOString(),
    subject: summaryIn(users, doc.subjectUserId),
    stream_id: doc.streamId,
    content,
    snapshot: snapshotView(first?.kept),
    report_count: doc.reportCount,
    claimed_by: summaryIn(users, doc.claimedBy),
    claimed_until: timeOf(doc.claimedUntil),
    decided_by: summaryIn(users, doc.decidedBy),
    decided_at: timeOf(doc.decidedAt),
    measures: doc.measures.map(({ id, type, reason, durationSeconds, streamId }) => ({
      id,
      type,
      reason,
      duration_seconds: durationSeconds,
      stream_id: streamId,
    })),
    note: doc.note,
  };
}

/** An appeal as its author sees it: whether it is claimed shows, but not by whom. */
export function appealView(doc: AppealDoc, now: Date): Appeal {
  const status = doc.status === "claimed" && !claimOf(doc, now) ? "open" : doc.status;
  return {
    id: doc._id,
    subject_type: doc.subjectType,
    subject_id: doc.subjectId,
    message: doc.message,
    status,
    note: doc.note,
    created_at: doc.createdAt.toISOString(),
    decided_at: timeOf(doc.decidedAt),
  };
}

export function staffAppealView(doc: AppealDoc, users: UsersById, now: Date): StaffAppeal {
  const claim = claimOf(doc, now);
  return {
    ...appealView(doc, now),
    user: summaryIn(users, doc.userId),
    claimed_by: summaryIn(users, claim?.by ?? null),
    claimed_until: timeOf(claim?.until ?? null),
    decided_by: summaryIn(users, doc.decidedBy),
  };
}

export const accountBanView = (doc: AccountBanDoc, users: UsersById): AccountBan => ({
  id: doc._id,
  user_id: doc.userId,
  reason: doc.reason,
  report_id: doc.reportId,
  strike_id: doc.strikeId,
  by: summaryIn(users, doc.by),
  created_at: doc.createdAt.toISOString(),
  lifted_at: timeOf(doc.liftedAt),
  lifted_by: summaryIn(users, doc.liftedBy),
});

export const ownStrikeView = (doc: StrikeDoc): OwnStrike => ({
  id: doc._id,
  reason: doc.reason,
  created_at: doc.createdAt.toISOString(),
  expires_at: doc.expiresAt.toISOString(),
  revoked_at: timeOf(doc.revokedAt),
});

/** A ban or timeout in force, as its user sees it; moderators aren't named. */
export const ownChatBanView = (
  doc: ChatBanDoc,
  { ownerId, users }: { ownerId: string | null; users: UsersById },
): OwnChatBan => ({
  id: doc.streamId,
  streamer: summaryIn(users, ownerId),
  type: doc.until === null ? "ban" : "timeout",
  reason: doc.reason,
  expires_at: timeOf(doc.until),
  is_by_staff: doc.reportId !== undefined,
  created_at: doc.createdAt.toISOString(),
});

export const strikeView = (doc: StrikeDoc, users: UsersById): Strike => ({
  id: doc._id,
  user_id: doc.userId,
  reason: doc.reason,
  report_id: doc.reportId,
  by: summaryIn(users, doc.by),
  created_at: doc.createdAt.toISOString(),
  expires_at: doc.expiresAt.toISOString(),
  revoked_at: timeOf(doc.revokedAt),
  revoked_by: summaryIn(users, doc.revokedBy),
});

/** `users`: who banned it. */
export const staffUserView = (
  { user, liveStrikes, ban, sessionCount }: StaffAccount,
  users: UsersById,
): StaffUser => ({
  ...ownUserView(user),
  live_strikes: liveStrikes,
  ban: ban && accountBanView(ban, users),
  ...(sessionCount === undefined ? {} : { session_count: sessionCount }),
});

export const staffLogView = (row: StaffLogDoc, users: UsersById): StaffLogEntry => ({
  id: row._id,
  staff: summaryIn(users, row.staffId),
  event: row.event,
  operation: row.operation,
  action: row.action,
  measures: MEASURES.filter((type) => row.measures.includes(type)),
  account: summaryIn(users, row.accountId),
  ids: row.ids,
  created_at: row.at.toISOString(),
});

export const staffQueueView = ({ waiting, claimed, oldestAt, decided }: QueueFigures): StaffQueue => ({
  waiting,
  claimed,
  oldest_at: timeOf(oldestAt),
  decided_last_day: decided,
});

export const supportView = (doc: SupportRequestDoc): SupportRequest => ({
  id: doc._id,
  kind: doc.kind,
  status: doc.status,
  email: doc.email,
  subject: doc.subject,
  message: doc.message,
  created_at: doc.createdAt.toISOString(),
});

export const staffSupportView = (doc: SupportRequestDoc): StaffSupportRequest => ({
  ...supportView(doc),
  user_id: doc.userId,
  note: doc.note,
  dmca: doc.dmca && {
    work: doc.dmca.work,
    urls: doc.dmca.urls,
    good_faith: doc.dmca.goodFaith,
    signature: doc.dmca.signature,
  },
});
