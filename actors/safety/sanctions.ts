import { ServiceError } from "../../specs/contract/errors.ts";
import type { Actor, Audit } from "../../store/audit.ts";
import type { Clock } from "../../store/clock.ts";
import { newId } from "../../store/ids.ts";
import type { Log } from "../../store/log.ts";
import { type AccountBanDoc, accountBansIn } from "../../store/mongo/account-bans.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import type { Streams } from "../../store/mongo/streams.ts";
import { type StrikeDoc, strikesIn } from "../../store/mongo/strikes.ts";
import { inTransaction } from "../../store/mongo/transaction.ts";
import type { Outbox } from "../host/outbox.ts";
import { standingIn } from "../identity/account-standing.ts";
import type { Identity } from "../identity/identity.ts";
import type { Broadcasts } from "../live-stream/broadcasts.ts";

/** Sign-ins that were under way when the ban was committed have ended by then, one way or the other. */
const ENFORCED_FOR_MS = 5_000;
/** Of one sweep; more are left to the next. */
const BATCH = 100;

type Deps = {
  mongo: Mongo;
  identity: Pick<Identity, "ban" | "unban" | "endBanned" | "requireUser">;
  streams: Pick<Streams, "findByUser">;
  broadcasts: Pick<Broadcasts, "ownerBanned">;
  outbox: Pick<Outbox, "write" | "publish">;
  audit: Audit;
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
  const { mongo, identity, streams, broadcasts, outbox, audit, clock, log } = deps;
  const bans = accountBansIn(mongo.db);
  const strikes = strikesIn(mongo.db);
  const standing = standingIn(mongo.db);
  const now = () => new Date(clock.now());

  /** `by` is null when it is repeated. */
  async function enforce({ userId }: AccountBanDoc, by: Actor | null): Promise<void> {
    await identity.endBanned(userId, by);
    const stream = await streams.findByUser(userId);
    if (stream) await broadcasts.ownerBanned(stream._id);
  }

  async function requireOther(userId: string, by: ByStaff): Promise<void> {
    if (userId === by.userId) throw new ServiceError("self_target");
    await identity.requireUser(userId);
  }

  /** After the commit of a ban; what fails is left to the sweep. */
  async function enforceSoon(ban: AccountBanDoc, by: Actor): Promise<void> {
    try {
      await enforce(ban, by);
    } catch (err) {
      log.warn({ err, userId: ban.userId }, "a ban couldn't be enforced at once; the sweep does it");
    }
  }

  return {
    /** Twice is once. Throws `not_found`, `self_target`, and `forbidden` for staff. */
    async ban(userId: string, reason: string, by: ByStaff): Promise<AccountBanDoc> {
      await requireOther(userId, by);
      const ban = await identity.ban(userId, by, reason);
      const stream = await streams.findByUser(userId);
      try {
        if (stream) await broadcasts.ownerBanned(stream._id);
      } catch (err) {
        log.warn({ err, userId }, "a banned user's broadcast couldn't be ended at once; the sweep does it");
      }
      return ban;
    },

    /** Without a ban nothing happens. Throws `not_found`. */
    async unban(userId: string, by: ByStaff): Promise<void> {
      await identity.requireUser(userId);
      await identity.unban(userId, by);
    },

    /** Notes a ban that was committed with something else, and enforces it. */
    async banned(ban: AccountBanDoc, by: Actor): Promise<void> {
      audit("account.banned", by, { accountId: ban.userId });
      await enforceSoon(ban, by);
    },

    /** Throws `not_found`, `self_target`, and `forbidden` for staff. */
    async strike(userId: string, reason: string, by: ByStaff): Promise<StrikeDoc> {
      await requireOther(userId, by);
      const given = { strikeId: newId(), userId, reason, by: by.userId, reportId: null, at: now() };
      const source = `account:${userId}`;
      const { strike, ban } = await inTransaction(mongo.client, async (session) => {
        const made = await standing.strike(given, session);
        const data = {
          ...{ measure: "strike" as const, reason, subject_type: "strike" as const },
          ...{ subject_id: made.strike._id, until: made.strike.expiresAt.toISOString() },
        };
        const target = { user: userId };
        const row = { actor: source, version: made.version, n: 0, target };
        await outbox.write([{ ...row, type: "moderation.warning", data }], session);
        return made;
      });
      audit("strike.given", by, { accountId: userId, strikeId: strike._id });
      await outbox.publish(source);
      if (ban) await this.banned(ban, by);
      return strike;
    },

    /** One that isn't in force stays as it is. Throws `not_found`, `self_target`. */
    async revokeStrike(userId: string, strikeId: string, by: ByStaff): Promise<void> {
      await requireOther(userId, by);
      const strike = await strikes.find(strikeId);
      if (strike?.userId !== userId) throw new ServiceError("not_found");
      const what = { strikeId, userId, by: by.userId, at: now() };
      const done = await inTransaction(mongo.client, (session) => standing.revokeStrike(what, session));
      if (done.revoked) audit("strike.revoked", by, { accountId: userId, strikeId });
      if (done.unbanned) audit("account.unbanned", by, { accountId: userId });
    },

    async strikePage(userId: string, skip: number, limit: number) {
      await identity.requireUser(userId);
      return strikes.pageOf(userId, skip, limit);
    },

    /** What bans have to end, once more; also for bans of processes that died. */
    async sweep(): Promise<void> {
      for (const ban of await bans.unenforced(BATCH)) {
        await enforce(ban, null);
        if (ban.createdAt.getTime() <= clock.now() - ENFORCED_FOR_MS) await bans.setEnforced(ban._id);
      }
    },
  };
}

export type Sanctions = ReturnType<typeof createSanctions>;
