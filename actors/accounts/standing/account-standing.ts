/**
 * Changes of an account's standing (bans, strikes, and their end), inside the transaction of the caller. Each writes the account
 * first, so that concurrent changes of one account conflict and run one after the other: the third of three concurrent strikes
 * sees the other two. They apply to a deleted account as well until it is erased; otherwise deleting and restoring the account
 * would evade them.
 */
import type { ClientSession, Db } from "mongodb";
import { DAY_MS } from "../../../base/durations.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { type AccountBanDoc, accountBansIn } from "../../../store/mongo/accounts/account-bans.ts";
import { apiTokensIn } from "../../../store/mongo/accounts/api-tokens.ts";
import { sessionsIn } from "../../../store/mongo/accounts/sessions.ts";
import { type UserDoc, usersIn } from "../../../store/mongo/accounts/users.ts";
import { notificationFactsIn } from "../../../store/mongo/notifications/notification-facts.ts";
import { auditEntriesIn } from "../../../store/mongo/safety/audit-entries.ts";
import { staffLogIn } from "../../../store/mongo/safety/staff-log.ts";
import { type StrikeDoc, strikesIn } from "../../../store/mongo/safety/strikes.ts";
import { MAX_SESSIONS_READ } from "../tokens/session-endings.ts";
import { SWEEP_AFTER_MS } from "./audit-trail.ts";
import { staffLogRow } from "./staff-log-rows.ts";
import { statusChangesIn } from "./status-changes.ts";

const STRIKE_MS = 90 * DAY_MS;
/** The account is banned at this many strikes in force. */
const STRIKES_THAT_BAN = 3;

type On = { userId: string; reason: string; reportId: string | null; at: Date };
type NewBan = On & { banId: string; by: string | null; strikeId?: string | null };
type NewStrike = On & { strikeId: string; by: string };

/** A ban with the sessions and personal API tokens that it ended, which have to be announced after the commit. */
export type Banned = { ban: AccountBanDoc; sessionIds: string[]; tokenIds: string[] };

/** Id of a ban's pending line of the audit log; the process that banned writes that line, with the address. */
export const auditEntryOf = (banId: string): string => `account.banned:${banId}`;

/** Whether the account is being erased, so that it can't be restored. */
export const isBeingErased = ({ status, deletion }: Pick<UserDoc, "status" | "deletion">): boolean =>
  status === "deleted" && deletion?.erasedAs !== null;

export function standingIn(db: Db) {
  const users = usersIn(db);
  const bans = accountBansIn(db);
  const strikes = strikesIn(db);
  const sessions = sessionsIn(db);
  const tokens = apiTokensIn(db);
  const facts = notificationFactsIn(db);
  const entries = auditEntriesIn(db);
  const staffLog = staffLogIn(db);
  const changeStatus = statusChangesIn(db);

  /** Notifies the user of the measure; when the account is banned, by mail only. */
  function notifyUser(
    measure: "strike" | "account_ban",
    { id, userId, reason, at }: Pick<On, "userId" | "reason" | "at"> & { id: string },
    until: Date | null,
    session: ClientSession,
  ): Promise<void> {
    const data = { id, measure, reason, until };
    const fact = { kind: "measure" as const, ref: `${measure}:${id}`, userId, at, data };
    return facts.insert([fact], session);
  }

  /** Throws `not_found`, and `forbidden` for staff: an operator must take the role away first. */
  async function touch(userId: string, session: ClientSession): Promise<number> {
    const user = await users.update(userId, { $inc: { standingVersion: 1 } }, { session });
    if (!user || isBeingErased(user)) throw new ServiceError("not_found");
    if (user.isStaff) throw new ServiceError("forbidden");
    return user.standingVersion ?? 0;
  }

  /** Bans the account and ends its sessions. Null, without effect, when already banned or gone. Throws `forbidden` for staff. */
  async function ban(
    { banId, userId, reason, by, reportId, strikeId = null, at }: NewBan,
    session: ClientSession,
  ): Promise<Banned | null> {
    const $inc = { standingVersion: 1 };
    const active = { status: "active" as const };
    const deleted = {
      status: "deleted" as const,
      "deletion.erasedAs": null,
      "deletion.isBanned": { $ne: true },
    };
    const now = { $set: { status: "banned" as const, updatedAt: at }, $inc };
    const onceBack = { $set: { "deletion.isBanned": true, updatedAt: at }, $inc };
    const banned =
      (await changeStatus(userId, now, { session, expected: active, at })) ??
      (await users.update(userId, onceBack, { session, expected: deleted }));
    if (!banned) return null;
    if (banned.isStaff) throw new ServiceError("forbidden");
    const doc: AccountBanDoc = {
      _id: banId,
      userId,
      reason,
      by,
      reportId,
      strikeId,
      createdAt: at,
      isCurrent: true,
      liftedAt: null,
      liftedBy: null,
      isEnforced: false,
    };
    await bans.insert(doc, session);
    const entry = { event: "account.banned" as const, by: { userId: by, origin: null }, evidence: null };
    const dueAt = new Date(at.getTime() + SWEEP_AFTER_MS);
    const line = { _id: auditEntryOf(banId), ...entry, fields: { accountId: userId }, dueAt };
    await entries.insert([line], session);
    const row = staffLogRow(line, at);
    if (row) await staffLog.insert([row], session);
    await notifyUser("account_ban", { id: banId, userId, reason, at }, null, session);
    const ending = await sessions.active(userId, at, 0, MAX_SESSIONS_READ, session);
    await sessions.endAll(userId, "banned", session);
    const tokenIds = await tokens.endAll(userId, "banned", session);
    return { ban: doc, sessionIds: ending.map(({ _id }) => _id), tokenIds };
  }

  /** False for an account that wasn't banned. A deleted account stays deleted. */
  async function unban(
    { userId, by, at }: { userId: string; by: string | null; at: Date },
    session: ClientSession,
  ): Promise<boolean> {
    const $inc = { standingVersion: 1 };
    const banned = { status: "banned" as const };
    const deleted = { status: "deleted" as const, "deletion.isBanned": true };
    const now = { $set: { status: "active" as const, updatedAt: at }, $inc };
    const onceBack = { $set: { updatedAt: at }, $unset: { "deletion.isBanned": "" as const }, $inc };
    const back =
      (await changeStatus(userId, now, { session, expected: banned, at })) ??
      (await users.update(userId, onceBack, { session, expected: deleted }));
    if (!back) return false;
    await bans.lift(userId, by, at, session);
    return true;
  }

  return {
    ban,
    unban,

    /** Throws `not_found`. `banned` is the ban it caused, if any; `version` increases with every change of the standing. */
    async strike(
      { strikeId, userId, reason, by, reportId, at }: NewStrike,
      session: ClientSession,
    ): Promise<{ strike: StrikeDoc; banned: Banned | null; version: number }> {
      const version = await touch(userId, session);
      const expiresAt = new Date(at.getTime() + STRIKE_MS);
      const strike: StrikeDoc = {
        _id: strikeId,
        userId,
        reason,
        by,
        reportId,
        createdAt: at,
        expiresAt,
        revokedAt: null,
        revokedBy: null,
      };
      await strikes.insert(strike, session);
      await notifyUser("strike", { id: strikeId, userId, reason, at }, expiresAt, session);
      const inForce = await strikes.countLive(userId, at, session);
      if (inForce < STRIKES_THAT_BAN) return { strike, banned: null, version };
      const led = { banId: strikeId, userId, reason, by, reportId, strikeId, at };
      return { strike, banned: await ban(led, session), version };
    },

    /** Also lifts a ban caused by strikes once fewer than three are in force. Throws `not_found`. */
    async revokeStrike(
      { strikeId, userId, by, at }: { strikeId: string; userId: string; by: string; at: Date },
      session: ClientSession,
    ): Promise<{ revoked: boolean; unbanned: boolean }> {
      const touched = await users.update(userId, { $inc: { standingVersion: 1 } }, { session });
      if (!touched) throw new ServiceError("not_found");
      if (!(await strikes.revoke(strikeId, userId, by, at, session)))
        return { revoked: false, unbanned: false };
      const current = await bans.currentOf(userId, session);
      if (!current || current.strikeId === null) return { revoked: true, unbanned: false };
      if ((await strikes.countLive(userId, at, session)) >= STRIKES_THAT_BAN)
        return { revoked: true, unbanned: false };
      return { revoked: true, unbanned: await unban({ userId, by, at }, session) };
    },
  };
}

export type StandingChanges = ReturnType<typeof standingIn>;
