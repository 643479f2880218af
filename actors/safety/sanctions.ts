import type { ClientSession } from "mongodb";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Actor, Audit } from "../../store/audit.ts";
import type { Clock } from "../../store/clock.ts";
import { newId } from "../../store/ids.ts";
import type { Log } from "../../store/log.ts";
import { type AccountBanDoc, accountBansIn } from "../../store/mongo/account-bans.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import type { Streams } from "../../store/mongo/streams.ts";
import { type StrikeDoc, strikesIn } from "../../store/mongo/strikes.ts";
import { retryingConflicts } from "../host/conflict.ts";
import { inLines } from "../host/in-lines.ts";
import { keyedRequestsIn } from "../host/keyed-requests.ts";
import type { Outbox } from "../host/outbox.ts";
import { type Banned, standingIn } from "../identity/account-standing.ts";
import type { AuditTrail } from "../identity/audit-trail.ts";
import type { Identity } from "../identity/identity.ts";
import type { Broadcasts } from "../live-stream/broadcasts.ts";

/** Sign-ins that were under way when the ban was committed have ended by then, one way or the other. */
const ENFORCED_FOR_MS = 5_000;
/** Of one sweep; more are left to the next. */
const BATCH = 100;
const AT_ONCE = 8;
const LONGEST_PAUSE_MS = 60_000;

type Deps = {
  mongo: Mongo;
  identity: Pick<Identity, "ban" | "unban" | "banned" | "endBanned" | "findUser">;
  streams: Pick<Streams, "findByUser">;
  broadcasts: Pick<Broadcasts, "ownerBanned">;
  outbox: Pick<Outbox, "write" | "publishSoon">;
  auditTrail: AuditTrail;
  clock: Clock;
  log: Log;
};

/** Who acts, by the id of the staff member too. */
export type ByStaff = Actor & { userId: string };

/**
 * Bans of accounts, and strikes, by staff. What a ban ends is ended right after its commit; the sweep does it too, for when the
 * process died in between, and for sign-ins that were under way.
 */
export function createSanctions(deps: Deps) {
  const { mongo, identity, streams, broadcasts, outbox, auditTrail, clock, log } = deps;
  const bans = accountBansIn(mongo.db);
  const strikes = strikesIn(mongo.db);
  const standing = standingIn(mongo.db);
  const keyed = keyedRequestsIn(mongo.db, clock);
  const now = () => new Date(clock.now());

  async function endBroadcast(userId: string): Promise<void> {
    const stream = await streams.findByUser(userId);
    if (stream) await broadcasts.ownerBanned(stream._id);
  }

  /** Each, whatever becomes of the other. */
  async function enforce({ userId }: AccountBanDoc, by: Actor): Promise<void> {
    const done = await Promise.allSettled([identity.endBanned(userId, by), endBroadcast(userId)]);
    for (const one of done) if (one.status === "rejected") throw one.reason;
  }

  /** A deleted account is there too until it is erased. */
  async function requireThere(userId: string): Promise<void> {
    if (!(await identity.findUser(userId))) throw new ServiceError("not_found");
  }

  async function requireOther(userId: string, by: ByStaff): Promise<void> {
    if (userId === by.userId) throw new ServiceError("self_target");
    await requireThere(userId);
  }

  /** After the commit of a ban, which is in the audit log; what fails is left to the sweep. */
  async function enforceSoon(ban: AccountBanDoc, by: Actor): Promise<void> {
    await enforce(ban, by).catch((err: unknown) =>
      log.warn({ err, userId: ban.userId }, "a ban couldn't be enforced yet; the sweep does it"),
    );
  }

  /** Never rejects for what one ban does: it waits as long again as it is old, at most a minute. */
  async function enforceAgain(ban: AccountBanDoc): Promise<void> {
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
  /** `banned`: whom this strike was one too many for. */
  type Made = { strike: StrikeDoc; banned: Banned | null };

  /** A strike with its message to the user. */
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
      ...{ measure: "strike" as const, reason, subject_type: "strike" as const },
      ...{ subject_id, until: expiresAt.toISOString() },
    };
    const row = { actor: sourceOf(userId), version, n: 0, target: { user: userId } };
    await outbox.write([{ ...row, type: "moderation.warning", data }], session);
    return made;
  }

  return {
    /** Twice is once. Throws `not_found`, `self_target`, and `forbidden` for staff. */
    async ban(userId: string, reason: string, by: ByStaff): Promise<AccountBanDoc> {
      await requireOther(userId, by);
      const ban = await identity.ban(userId, by, reason);
      await enforceSoon(ban, by);
      return ban;
    },

    /** Without a ban nothing happens. Throws `not_found`. */
    async unban(userId: string, by: ByStaff): Promise<void> {
      await requireThere(userId);
      await identity.unban(userId, by);
    },

    /** Notes a ban that was committed with something else, and enforces it. */
    async banned(banned: Banned, by: Actor): Promise<void> {
      await identity.banned(banned, by);
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

    /** One that isn't in force stays as it is. Throws `not_found`, `self_target`. */
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

    async strikePage(userId: string, skip: number, limit: number) {
      await requireThere(userId);
      return strikes.pageOf(userId, skip, limit);
    },

    /** What bans have to end, once more; also for bans of processes that died. */
    async sweep(): Promise<void> {
      const waiting = await bans.unenforced(now(), BATCH);
      await inLines(waiting, { lineOf: ({ userId }) => userId, atOnce: AT_ONCE }, enforceAgain);
    },
  };
}

const sourceOf = (userId: string) => `account:${userId}`;

export type Sanctions = ReturnType<typeof createSanctions>;
