import type { ClientSession } from "mongodb";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Actor, Audit, Origin } from "../../store/audit.ts";
import type { Clock } from "../../store/clock.ts";
import { newId } from "../../store/ids.ts";
import type { Log } from "../../store/log.ts";
import type { ApiTokensStore } from "../../store/mongo/api-tokens.ts";
import type { OauthIdentities } from "../../store/mongo/oauth-identities.ts";
import type { SessionDoc, Sessions } from "../../store/mongo/sessions.ts";
import type { UserDoc, Users } from "../../store/mongo/users.ts";
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from "./access-tokens.ts";
import type { AccountDeletion } from "./account-deletion.ts";
import type { Banned } from "./account-standing.ts";
import type { Devices } from "./devices.ts";
import { hashToken, type RefreshTokens } from "./refresh-tokens.ts";
import type { Revocations } from "./revocations.ts";
import {
  createSessionEndings,
  type Ending,
  MAX_SESSIONS,
  MOST_LASTING,
  type SessionRevocation,
} from "./session-endings.ts";
import type { Shown, SignIn } from "./sign-in.ts";
import { DAY_MS } from "./usernames.ts";

/**
 * Sessions and their refresh tokens (a family each):
 * 1. A token is good once; using it makes the next one, by compare-and-set on the hash of the one in force.
 * 2. The one just before it is answered the same successor for 30 s: parallel tabs, and a client that died
 *    before it stored the answer, stay signed in.
 * 3. Any older one, or that one later, is a theft until shown otherwise: the session ends.
 */
const GRACE_MS = 30_000;
const SLIDING_MS = 30 * DAY_MS;
const ABSOLUTE_MS = 90 * DAY_MS;
/** Ended sessions that an account keeps for their devices, beside those that last. */
const MAX_DEVICES = 100;
const MAX_USER_AGENT = 300;
/** A ban is enforced within seconds, or by the sweep after an outage of minutes, when workers know by the database. */
const ANNOUNCED_FOR_MS = 120_000;

type Deps = {
  sessions: Sessions;
  users: Users;
  accessTokens: AccessTokens;
  refreshTokens: RefreshTokens;
  revocations: Revocations;
  devices: Devices;
  deletion: Pick<AccountDeletion, "undo">;
  tokens: Pick<ApiTokensStore, "endedByBan">;
  links: Pick<OauthIdentities, "find">;
  audit: Audit;
  /** Notifies sockets at once; a null session means all of the user's. */
  publishRevoked: (revocation: SessionRevocation) => Promise<void>;
  clock: Clock;
  log: Log;
};

export function createSignIns(deps: Deps) {
  const { sessions, users, accessTokens, refreshTokens, revocations, devices, deletion, tokens } = deps;
  const { links, audit, clock, log } = deps;
  const { end, announce, announceEnded, noteEnd } = createSessionEndings(deps);

  /** Those that a ban has ended, each also by itself: rooms know sessions and not their users. */
  async function announceAll(
    userId: string,
    ended: Pick<SessionDoc, "_id" | "userId" | "endReason">[],
  ): Promise<void> {
    for (const session of ended) revocations.note(session);
    const reason = "banned";
    await Promise.all([
      announce({ userId, sessionId: null, reason }),
      ...ended.map(({ _id: sessionId }) => announce({ userId, sessionId, reason })),
    ]);
  }

  /** Ends what the user has past `skip`, the last used first, and notifies sockets of each. */
  async function endMany(userId: string, skip: number, by: Actor): Promise<void> {
    const ending = await sessions.lasting(userId, new Date(clock.now()), skip, MAX_SESSIONS);
    for (const session of ending) await end(session, { why: "too_many", by });
    await sessions.removeEnded(userId, MAX_DEVICES);
  }

  async function answer(user: UserDoc, session: SessionDoc, refreshToken: string): Promise<SignIn> {
    const accessToken = await accessTokens.issue({
      userId: user._id,
      username: user.username,
      sessionId: session._id,
    });
    return {
      user,
      sessionId: session._id,
      deviceId: devices.givenOut(session._id),
      accessToken,
      accessExpiresIn: ACCESS_TOKEN_SECONDS,
      refreshToken,
      refreshExpiresIn: Math.max(0, Math.floor((session.expiresAt.getTime() - clock.now()) / 1_000)),
    };
  }

  /** The account behind a session, if it may be used; looked up after the session's write, so that no ban is missed. */
  async function requireUsable(session: SessionDoc, origin: Origin): Promise<UserDoc> {
    const user = await users.find(session.userId);
    const lacksFactor = Boolean(user?.twoFactorEnabledAt) && session.secondFactor !== true;
    if (user?.status === "active" && !lacksFactor) return user;
    const banned = user?.status === "banned";
    const by = { userId: session.userId, origin };
    const otherwise = user?.status === "active" ? "two_factor_changed" : "account_deleted";
    await end(session, { why: banned ? "account_banned" : otherwise, by });
    // Beside an erasure, which has looked for sessions by then; nobody has its tokens.
    if (!user) await sessions.remove(session._id);
    throw new ServiceError(banned ? "account_banned" : "invalid_token");
  }

  /** Brings a deleted account back, since its owner signs in. */
  async function restore({ userId }: SessionDoc, origin: Origin, passwordHash: string | null): Promise<void> {
    const user = await users.find(userId);
    if (user?.status !== "deleted" || user.passwordHash !== passwordHash) return;
    await deletion.undo(user, origin);
  }

  /** Throws `invalid_token` when the link by which it was begun has gone, before it was written or since. */
  async function requireLink(session: SessionDoc, origin: Origin): Promise<void> {
    const { userId, linkId } = session;
    if (linkId === undefined || (await links.find(linkId))?.userId === userId) return;
    await end(session, { why: "removed", by: { userId, origin } });
    throw new ServiceError("invalid_token");
  }

  function refused(session: SessionDoc | null): ServiceError {
    return new ServiceError(session?.endReason === "banned" ? "account_banned" : "invalid_token");
  }

  /** The session and the token in force after `token` was used. */
  async function advance(token: string, origin: Origin): Promise<{ session: SessionDoc; current: string }> {
    const read = refreshTokens.read(token);
    if (!read) throw new ServiceError("invalid_token");
    // A second look is needed only when another request with the same token was faster.
    for (let attempt = 0; attempt < 3; attempt++) {
      const session = await sessions.find(read.sessionId);
      const now = clock.now();
      if (!session || session.endedAt !== null || session.expiresAt.getTime() <= now) throw refused(session);

      if (read.generation === session.generation) {
        const current = refreshTokens.make(session._id, session.generation + 1);
        const expiresAt = Math.min(now + SLIDING_MS, session.createdAt.getTime() + ABSOLUTE_MS);
        const next = {
          generation: session.generation + 1,
          tokenHash: hashToken(current),
          rotatedAt: new Date(now),
          lastSeenAt: new Date(now),
          expiresAt: new Date(expiresAt),
          deviceHash: devices.hashOf(session._id),
          ip: origin.ip,
        };
        if (await sessions.rotate(session._id, hashToken(token), next)) {
          return { session: { ...session, ...next }, current };
        }
        continue;
      }

      const inGrace = now - session.rotatedAt.getTime() <= GRACE_MS;
      if (read.generation === session.generation - 1 && inGrace) {
        const current = refreshTokens.again(session._id, session.generation, session.tokenHash);
        if (current === null) throw refused(session);
        return { session, current };
      }
      const by = { userId: session.userId, origin };
      audit("refresh_token.reused", by, { sessionId: session._id });
      await end(session, { why: "reused", by });
      log.warn(
        { userId: session.userId, sessionId: session._id },
        "a used refresh token came again; session ended",
      );
      throw new ServiceError("invalid_token");
    }
    throw new ServiceError("unavailable", { retry_after_ms: 1_000 });
  }

  return {
    announce,

    /**
     * Opens a session for an account whose owner has just proved to be it. When another password has taken the place of what
     * was shown by now, or the link has gone, the proof is of no use any more (`invalid_credentials`; of a provider's word
     * `invalid_token`). Throws `invalid_token` when the account asks for a second factor that wasn't shown.
     */
    async open(
      userId: string,
      origin: Origin,
      { passwordHash, linkId, secondFactor }: Shown,
    ): Promise<SignIn> {
      const sessionId = newId();
      const now = clock.now();
      const refreshToken = refreshTokens.make(sessionId, 1);
      const session: SessionDoc = {
        _id: sessionId,
        userId,
        generation: 1,
        tokenHash: hashToken(refreshToken),
        rotatedAt: new Date(now),
        deviceHash: devices.hashOf(sessionId),
        secondFactor,
        ...(linkId === null ? {} : { linkId }),
        userAgent: origin.userAgent?.slice(0, MAX_USER_AGENT) ?? null,
        ip: origin.ip,
        createdAt: new Date(now),
        lastSeenAt: new Date(now),
        expiresAt: new Date(now + SLIDING_MS),
        endedAt: null,
        endReason: null,
      };
      await sessions.insert(session);
      await requireLink(session, origin);
      await restore(session, origin, passwordHash);
      const user = await requireUsable(session, origin);
      if (user.passwordHash !== passwordHash) {
        await end(session, { why: "password_changed", by: { userId, origin } });
        const isByPassword = linkId === null && !secondFactor;
        throw new ServiceError(isByPassword ? "invalid_credentials" : "invalid_token");
      }
      await endMany(userId, MAX_SESSIONS, { userId, origin });
      return answer(user, session, refreshToken);
    },

    async refresh(token: string, origin: Origin): Promise<SignIn> {
      const { session, current } = await advance(token, origin);
      return answer(await requireUsable(session, origin), session, current);
    },

    list: (userId: string) => sessions.lasting(userId, new Date(clock.now()), 0, MAX_SESSIONS),

    /** False when the user has no such session that lasts. */
    async endOne(
      { userId, sessionId }: { userId: string; sessionId: string },
      why: "log_out" | "removed",
      origin: Origin,
    ): Promise<boolean> {
      const session = await sessions.find(sessionId);
      return session?.userId === userId && (await end(session, { why, by: { userId, origin } }));
    },

    /** `keep` null: all of them. */
    async endOthers(
      userId: string,
      keep: string | null,
      origin: Origin,
      why: "removed" | "two_factor_changed" | "password_changed" = "removed",
    ): Promise<void> {
      const all = await sessions.lasting(userId, new Date(clock.now()), 0, MOST_LASTING);
      const ending: Ending = { why, by: { userId, origin } };
      for (const session of all) if (session._id !== keep) await end(session, ending);
    },

    /** Right after the commit that ended a link and those sessions: announces them, and ends what it has begun since but `keep`. */
    async endedWithLink(linkId: string, keep: string, sessionIds: string[], by: Actor & { userId: string }) {
      const ending: Ending = { why: "removed", by };
      await announceEnded(by.userId, sessionIds, ending);
      const begun = await sessions.begunBy(by.userId, linkId, MOST_LASTING);
      for (const session of begun) if (session._id !== keep) await end(session, ending);
    },

    /** Every session that lasts, in the transaction of their cause, and their devices; the ids are for `endedAll`. */
    async endAllIn(userId: string, transaction: ClientSession): Promise<string[]> {
      const ending = await sessions.lasting(userId, new Date(clock.now()), 0, MOST_LASTING, transaction);
      await sessions.endAll(userId, "ended", transaction, true);
      return ending.map(({ _id }) => _id);
    },

    /**
     * Right after that commit: announces them and the API tokens that it ended, and ends what a sign-in that was under way has
     * begun since.
     */
    async endedAll(
      userId: string,
      { sessionIds, tokenIds }: { sessionIds: string[]; tokenIds: string[] },
      ending: Ending,
    ): Promise<void> {
      await announceEnded(userId, sessionIds, ending, tokenIds);
      const begun = await sessions.lasting(userId, new Date(clock.now()), 0, MOST_LASTING);
      for (const session of begun) await end(session, ending);
    },

    /** Right after the commit of a ban. It needs no database, which may have gone with the commit, and never rejects. */
    async announceBanned({ ban: { userId }, sessionIds, tokenIds }: Banned, by: Actor): Promise<void> {
      const ended = (_id: string) => ({ _id, userId, endReason: "banned" as const });
      for (const session of sessionIds.map(ended)) noteEnd(session, { why: "account_banned", by });
      for (const grantId of tokenIds)
        audit("api_token.ended", by, { grantId, accountId: userId, reason: "account_banned" });
      await announceAll(userId, [...sessionIds, ...tokenIds].map(ended));
    },

    announceEnded,

    /** What a sign-in that was under way has begun since the ban, and all that it has ended once more. May be repeated. */
    async endBanned(userId: string, by: Actor): Promise<void> {
      const begun = await sessions.lasting(userId, new Date(clock.now()), 0, MOST_LASTING);
      for (const session of begun) await end(session, { why: "account_banned", by });
      // By the database's time, like the ends of sessions.
      const lately = new Date(Date.now() - ANNOUNCED_FOR_MS);
      const [ofSessions, ofTokens] = await Promise.all([
        sessions.endedByBan(userId, lately, MOST_LASTING),
        tokens.endedByBan(userId, lately),
      ]);
      await announceAll(userId, [...ofSessions, ...ofTokens]);
    },

    /**
     * By the database; for when the feed of endings is behind, and in a transaction that also writes the account: it meets
     * whatever ends all of the account's sessions.
     */
    async requireLasting(sessionId: string, transaction?: ClientSession): Promise<void> {
      const session = await sessions.find(sessionId, transaction);
      if (!session || session.endedAt !== null) throw refused(session);
    },
  };
}

export type SignIns = ReturnType<typeof createSignIns>;
