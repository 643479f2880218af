import type { ClientSession } from "mongodb";
import type { Actor, Audit } from "../../base/audit.ts";
import type { Clock } from "../../base/clock.ts";
import { MINUTE_MS } from "../../base/durations.ts";
import { newId } from "../../base/ids.ts";
import type { Log } from "../../base/log.ts";
import { ServiceError } from "../../contract/errors.ts";
import { type AccountBanDoc, accountBansIn } from "../../store/mongo/accounts/account-bans.ts";
import type { Streams } from "../../store/mongo/channels/streams.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import type { Range } from "../../store/mongo/driver/page.ts";
import { retryingConflicts } from "../../store/mongo/driver/retried-transaction.ts";
import { type StrikeDoc, strikesIn } from "../../store/mongo/safety/strikes.ts";
import type { AccountBanning, AuditTrail, Directory } from "../accounts/public.ts";
import { type Banned, roomStandingSource, standingIn } from "../accounts/public.ts";
import { keyedRequestsIn } from "../host/keyed-requests.ts";
import type { Outbox } from "../host/outbox.ts";
import { sequentialByKey } from "../host/sequential-by-key.ts";
import type { Broadcasts } from "../live/public.ts";

/** Sign-ins in flight at the ban's commit have finished after this time, so a ban is enforced again until then. */
const ENFORCED_FOR_MS = 5_000;
/** Bans per sweep; more are left to the next. */
const BATCH = 100;
const CONCURRENCY = 8;
const LONGEST_PAUSE_MS = MINUTE_MS;

type Deps = {
  mongo: Mongo;
  accountBans: Pick<AccountBanning, "ban" | "unban" | "banned" | "endBanned">;
  directory: Pick<Directory, "findUser">;
  streams: Pick<Streams, "findByUser">;
  broadcasts: Pick<Broadcasts, "ownerBanned">;
  outbox: Pick<Outbox, "write" | "publishSoon">;
  auditTrail: AuditTrail;
  clock: Clock;
  log: Log;
};

/** The acting staff member. */
export type ByStaff = Actor & { userId: string };

/**
 * Account bans and strikes by staff. A ban is enforced (sessions and broadcast are ended) right after its commit. The sweep
 * enforces it again, in case the process died in between, and for sign-ins that were in flight.
 */
export function createSanctions(deps: Deps) {
  const { mongo, accountBans, directory, streams, broadcasts, outbox, auditTrail, clock, log } = deps;
  const bans = accountBansIn(mongo.db);
  const strikes = strikesIn(mongo.db);
  const standing = standingIn(mongo.db);
  const keyed = keyedRequestsIn(mongo.db, clock);
  const now = () => new Date(clock.now());

  async function endBroadcast(userId: string): Promise<void> {
    const stream = await streams.findByUser(userId);
    if (stream) await broadcasts.ownerBanned(stream._id);
  }

  /** Runs both steps even if one fails. */
  async function enforce({ userId }: AccountBanDoc, by: Actor): Promise<void> {
    outbox.publishSoon(roomStandingSource(userId));
    const done = await Promise.allSettled([accountBans.endBanned(userId, by), endBroadcast(userId)]);
    for (const one of done) if (one.status === "rejected") throw one.reason;
  }

  /** A deleted account still exists until it is erased. */
  async function requireUser(userId: string): Promise<void> {
    if (!(await directory.findUser(userId))) throw new ServiceError("not_found");
  }

  async function requireOther(userId: string, by: ByStaff): Promise<void> {
    if (userId === by.userId) throw new ServiceError("self_target");
    await requireUser(userId);
  }

  /** Enforces a ban after its commit and its audit line; failures are left to the sweep. */
  async function enforceSoon(ban: AccountBanDoc, by: Actor): Promise<void> {
    await enforce(ban, by).catch((err: unknown) =>
      log.warn({ err, userId: ban.userId }, "a ban couldn't be enforced yet; the sweep does it"),
    );
  }

  /** Never rejects because of one ban: it is retried after a delay equal to its age, 1 s to 1 min. */
  async function retryEnforcement(ban: AccountBanDoc): Promise<void> {
    const { _id, userId } = ban;
    const by = { userId: ban.by, origin: null };
    const ageMs = clock.now() - ban.createdAt.getTime();
    const isSettled = ageMs >= ENFORCED_FOR_MS;
    try {
      await enforce(ban, by);
      if (isSettled) await bans.setEnforced(_id);
    } catch (err) {
      log.warn({ err, userId }, "a ban couldn't be enforced; it is tried again");
      const pauseMs = Math.min(Math.max(ageMs, 1_000), LONGEST_PAUSE_MS);
      await bans.retry(_id, new Date(clock.now() + pauseMs));
    }
  }

  type Given = { userId: string; reason: string };
  /** `banned`: the account ban that this strike led to, if any. */
  type Made = { strike: StrikeDoc; banned: Banned | null };

  /** Writes a strike with its event for the user. */
  async function strikeIn(
    { userId, reason }: Given,
    { by, at }: { by: ByStaff; at: Date },
    session: ClientSession,
    note: Audit,
  ): Promise<Made> {
    const given = { strikeId: newId(), userId, reason, by: by.userId, reportId: null, at };
    const { version, ...made } = await standing.strike(given, session);
    const { _id: subject_id, expiresAt } = made.strike;
    note("strike.given", by, { accountId: userId, strikeId: subject_id });
    const data = {
      measure: "strike" as const,
      reason,
      subject_type: "strike" as const,
      subject_id,
      until: expiresAt.toISOString(),
    };
    const row = { actor: sourceOf(userId), version, n: 0, target: { user: userId } };
    await outbox.write([{ ...row, type: "moderation.warning", data }], session);
    return made;
  }

  return {
    /** Idempotent. Throws `not_found`, `self_target`, and `forbidden` for staff. */
    async ban(userId: string, reason: string, by: ByStaff): Promise<AccountBanDoc> {
      await requireOther(userId, by);
      const ban = await accountBans.ban(userId, by, reason);
      await enforceSoon(ban, by);
      return ban;
    },

    /** Does nothing without a ban. Throws `not_found`, and `invalid_state` where another ban than `banId` is in force; null: any. */
    async unban(userId: string, banId: string | null, by: ByStaff): Promise<void> {
      await requireUser(userId);
      await accountBans.unban(userId, by, banId);
      outbox.publishSoon(roomStandingSource(userId));
    },

    /** Audits a ban that was committed with another action, and enforces it. */
    async banned(banned: Banned, by: Actor): Promise<void> {
      await accountBans.banned(banned, by);
      await enforceSoon(banned.ban, by);
    },

    /** Throws `not_found`, `self_target`, `idempotency_conflict`, and `forbidden` for staff. */
    async strike(
      userId: string,
      { reason, key }: { reason: string; key: string | null },
      by: ByStaff,
    ): Promise<StrikeDoc> {
      await requireOther(userId, by);
      const given = { userId, reason };
      const request = { by: by.userId, operation: "strike", key, request: given };
      const { strike, banned } = await retryingConflicts(() =>
        auditTrail.transact((session, note) =>
          keyed.once<Made, string>(request, session, {
            act: (at) => strikeIn(given, { by, at }, session, note),
            answerOf: (made) => made.strike._id,
            async again(id) {
              const before = await strikes.find(id, session);
              return before && { strike: before, banned: null };
            },
          }),
        ),
      );
      outbox.publishSoon(sourceOf(userId));
      if (banned) await this.banned(banned, by);
      return strike;
    },

    /** A strike that isn't in force stays unchanged. Throws `not_found`, `self_target`. */
    async revokeStrike(userId: string, strikeId: string, by: ByStaff): Promise<void> {
      await requireOther(userId, by);
      const strike = await strikes.find(strikeId);
      if (strike?.userId !== userId) throw new ServiceError("not_found");
      const what = { strikeId, userId, by: by.userId, at: now() };
      await auditTrail.transact(async (session, note) => {
        const { revoked, unbanned } = await standing.revokeStrike(what, session);
        if (revoked) note("strike.revoked", by, { accountId: userId, strikeId });
        if (unbanned) note("account.unbanned", by, { accountId: userId });
      });
    },

    ownStrikes: strikes.pageOf,

    async strikePage(userId: string, range: Range) {
      await requireUser(userId);
      return strikes.pageOf(userId, range);
    },

    /** The newest first, also those that were lifted. Throws `not_found`. */
    async banPage(userId: string, range: Range) {
      await requireUser(userId);
      return bans.pageOf(userId, range);
    },

    /** Enforces recent bans again; also those of processes that died. */
    async sweep(): Promise<void> {
      const waiting = await bans.unenforced(now(), BATCH);
      await sequentialByKey(
        waiting,
        { keyOf: ({ userId }) => userId, concurrency: CONCURRENCY },
        retryEnforcement,
      );
    },
  };
}

const sourceOf = (userId: string) => `account:${userId}`;

export type Sanctions = ReturnType<typeof createSanctions>;
