import type { ClientSession } from "mongodb";
import type { Actor, Audit, Origin } from "../../../base/audit.ts";
import { type Clock, processClock } from "../../../base/clock.ts";
import { DAY_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import type { Log } from "../../../base/log.ts";
import { ServiceError, unavailable } from "../../../contract/errors.ts";
import type { ApiTokensStore } from "../../../store/mongo/accounts/api-tokens.ts";
import type { OauthIdentities } from "../../../store/mongo/accounts/oauth-identities.ts";
import type { PasskeysStore } from "../../../store/mongo/accounts/passkeys.ts";
import type { Begun, SessionDoc, Sessions } from "../../../store/mongo/accounts/sessions.ts";
import type { UserDoc, Users } from "../../../store/mongo/accounts/users.ts";
import type { AccountDeletion } from "../standing/account-deletion.ts";
import type { Banned } from "../standing/account-standing.ts";
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from "../tokens/access-tokens.ts";
import type { Bindings } from "../tokens/bindings.ts";
import { hashToken, type RefreshTokens } from "../tokens/refresh-tokens.ts";
import type { Revocations } from "../tokens/revocations.ts";
import {
  createSessionEndings,
  type Ending,
  MAX_SESSIONS,
  MAX_SESSIONS_READ,
  type SessionRevocation,
} from "../tokens/session-endings.ts";
import type { Devices } from "./devices.ts";
import type { OpenedSession, SignInProof } from "./opened-session.ts";

/**
 * Sessions and their refresh tokens (a family each):
 * 1. A token can be used once; using it issues the next one, by compare-and-set on the hash of the current one.
 * 2. For 30 s, the previous token gets the same successor again: parallel tabs, and a client that died before it
 *    stored the answer, stay signed in.
 * 3. Any older token, or the previous one after that time, is treated as stolen: the session ends.
 * 4. A token that is newer than the session in the database shows that this was restored from a backup: the session ends as well,
 *    but nothing was stolen.
 * 5. A browser needs the session's binding besides, unless the token was issued before bindings were given.
 */
const GRACE_MS = 30_000;
const SLIDING_MS = 30 * DAY_MS;
const ABSOLUTE_MS = 90 * DAY_MS;
/** Ended sessions per account that are kept to recognise their devices, besides the active ones. */
const MAX_DEVICES = 100;
const MAX_USER_AGENT = 300;
/** A ban is enforced within seconds, or after a longer outage by the sweep; by then workers know of it from the database. */
const ANNOUNCE_AGAIN_MS = 120_000;

type Deps = {
  sessions: Sessions;
  users: Users;
  accessTokens: AccessTokens;
  refreshTokens: RefreshTokens;
  revocations: Revocations;
  devices: Devices;
  bindings: Pick<Bindings, "of">;
  deletion: Pick<AccountDeletion, "undo">;
  tokens: Pick<ApiTokensStore, "endedByBan" | "endOfSessions">;
  links: Pick<OauthIdentities, "find">;
  passkeys: Pick<PasskeysStore, "find">;
  audit: Audit;
  /** Notifies sockets at once; a null session means all of the user's. */
  publishRevoked: (revocation: SessionRevocation) => Promise<void>;
  clock: Clock;
  log: Log;
};

export function createAccountSessions(deps: Deps) {
  const { sessions, users, accessTokens, refreshTokens, revocations, devices, deletion, tokens } = deps;
  const { bindings, links, passkeys, audit, clock, log } = deps;
  const { end, announce, announceEnded, auditEnd } = createSessionEndings(deps);

  /** Announces what a ban ended: the user as a whole, and each session, since rooms know sessions but not their users. */
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

  /** Ends the user's sessions except the `skip` most recently used, and notifies sockets of each. */
  async function endExcess(userId: string, skip: number, by: Actor): Promise<void> {
    const ending = await sessions.active(userId, new Date(clock.now()), skip, MAX_SESSIONS);
    for (const session of ending) await end(session, { why: "too_many", by });
    await sessions.removeEnded(userId, MAX_DEVICES);
  }

  async function answer(user: UserDoc, session: SessionDoc, refreshToken: string): Promise<OpenedSession> {
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
      binding: bindings.of(session._id),
      refreshExpiresIn: Math.max(0, Math.floor((session.expiresAt.getTime() - clock.now()) / 1_000)),
    };
  }

  /** The session's account, if it may be used. Read after the session is written, so that no concurrent ban is missed. */
  async function requireUsable(session: SessionDoc, origin: Origin): Promise<UserDoc> {
    const user = await users.find(session.userId);
    const lacksFactor = Boolean(user?.twoFactorEnabledAt) && session.secondFactor !== true;
    if (user?.status === "active" && !lacksFactor) return user;
    const banned = user?.status === "banned";
    const by = { userId: session.userId, origin };
    const otherwise = user?.status === "active" ? "two_factor_changed" : "account_deleted";
    await end(session, { why: banned ? "account_banned" : otherwise, by });
    // A concurrent erasure has already looked for sessions, so remove this one here; nobody has its tokens.
    if (!user) await sessions.remove(session._id);
    throw new ServiceError(banned ? "account_banned" : "invalid_token");
  }

  /** Restores a deleted account, since its owner signs in. False for any other. */
  async function restore(
    { userId }: SessionDoc,
    origin: Origin,
    passwordHash: string | null,
  ): Promise<boolean> {
    const user = await users.find(userId);
    if (user?.status !== "deleted" || user.passwordHash !== passwordHash) return false;
    return (await deletion.undo(user, origin)) !== null;
  }

  /**
   * Throws `invalid_token` when the link or passkey that began the session is gone, whether before or after the session was
   * written.
   */
  async function requireCredential(session: SessionDoc, origin: Origin): Promise<void> {
    const { userId, linkId, passkeyId } = session;
    const hasLink = linkId === undefined || (await links.find(linkId))?.userId === userId;
    const hasPasskey = passkeyId === undefined || (await passkeys.find(passkeyId))?.userId === userId;
    if (hasLink && hasPasskey) return;
    await end(session, { why: "removed", by: { userId, origin } });
    throw new ServiceError("invalid_token");
  }

  function refused(session: SessionDoc | null): ServiceError {
    return new ServiceError(session?.endReason === "banned" ? "account_banned" : "invalid_token");
  }

  /** Uses `token`; returns the session and its current token. `lacksBinding`: without its session's binding. */
  async function advance(
    token: string,
    origin: Origin,
    lacksBinding: boolean,
  ): Promise<{ session: SessionDoc; current: string }> {
    const read = refreshTokens.read(token);
    if (!read) throw new ServiceError("invalid_token");
    // More than one attempt is needed only when a concurrent request used the same token first.
    for (let attempt = 0; attempt < 3; attempt++) {
      const session = await sessions.find(read.sessionId);
      const now = clock.now();
      if (!session || session.endedAt !== null || session.expiresAt.getTime() <= now) throw refused(session);
      const { boundFrom = Number.POSITIVE_INFINITY } = session;
      if (lacksBinding && read.generation >= boundFrom) throw refused(session);

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
          boundFrom: Math.min(boundFrom, session.generation + 1),
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
      if (read.generation > session.generation) {
        await end(session, { why: "database_restored", by });
        log.info(
          { userId: session.userId, sessionId: session._id },
          "refresh token newer than the database: session ended",
        );
        throw new ServiceError("invalid_token");
      }
      audit("refresh_token.reused", by, { sessionId: session._id });
      await end(session, { why: "reused", by });
      log.warn(
        { userId: session.userId, sessionId: session._id },
        "a used refresh token came again; session ended",
      );
      throw new ServiceError("invalid_token");
    }
    throw unavailable();
  }

  return {
    announce,

    /**
     * Opens a session for an owner who has just proved to be the owner. The proof is void when the password has changed since
     * or the link or passkey is gone (`invalid_credentials` after a password alone, else `invalid_token`). Throws `invalid_token` when the
     * account requires a second factor that wasn't given.
     */
    async open(
      userId: string,
      origin: Origin,
      { passwordHash, linkId, passkeyId, secondFactor }: SignInProof,
    ): Promise<OpenedSession> {
      const sessionId = newId();
      const now = clock.now();
      const refreshToken = refreshTokens.make(sessionId, 1);
      const session: SessionDoc = {
        _id: sessionId,
        userId,
        generation: 1,
        boundFrom: 1,
        tokenHash: hashToken(refreshToken),
        rotatedAt: new Date(now),
        deviceHash: devices.hashOf(sessionId),
        secondFactor,
        ...(linkId === null ? {} : { linkId }),
        ...(passkeyId === undefined ? {} : { passkeyId }),
        userAgent: origin.userAgent?.slice(0, MAX_USER_AGENT) ?? null,
        ip: origin.ip,
        createdAt: new Date(now),
        lastSeenAt: new Date(now),
        expiresAt: new Date(now + SLIDING_MS),
        endedAt: null,
        endReason: null,
      };
      await sessions.insert(session);
      await requireCredential(session, origin);
      const isRestored = await restore(session, origin, passwordHash);
      const user = await requireUsable(session, origin);
      if (user.passwordHash !== passwordHash) {
        await end(session, { why: "password_changed", by: { userId, origin } });
        const isByPassword = linkId === null && !secondFactor;
        throw new ServiceError(isByPassword ? "invalid_credentials" : "invalid_token");
      }
      await endExcess(userId, MAX_SESSIONS, { userId, origin });
      return { ...(await answer(user, session, refreshToken)), isRestored };
    },

    async refresh(token: string, origin: Origin, lacksBinding = false): Promise<OpenedSession> {
      const { session, current } = await advance(token, origin, lacksBinding);
      return answer(await requireUsable(session, origin), session, current);
    },

    list: (userId: string) => sessions.active(userId, new Date(clock.now()), 0, MAX_SESSIONS),

    /** False when the user has no such active session. */
    async endOne(
      { userId, sessionId }: { userId: string; sessionId: string },
      why: "log_out" | "removed",
      origin: Origin,
    ): Promise<boolean> {
      const session = await sessions.find(sessionId);
      return session?.userId === userId && (await end(session, { why, by: { userId, origin } }));
    },

    /** Ends all of the user's sessions except `keep`; null: all. */
    async endOthers(
      userId: string,
      keep: string | null,
      origin: Origin,
      why: "removed" | "two_factor_changed" | "password_changed" = "removed",
    ): Promise<void> {
      const all = await sessions.active(userId, new Date(clock.now()), 0, MAX_SESSIONS_READ);
      const ending: Ending = { why, by: { userId, origin } };
      for (const session of all) if (session._id !== keep) await end(session, ending);
    },

    /** Call after the commit that ended a link or passkey and its sessions: announces these, and ends those begun since but `keep`. */
    async endedWith(credential: Begun, keep: string, sessionIds: string[], by: Actor & { userId: string }) {
      const ending: Ending = { why: "removed", by };
      await announceEnded(by.userId, sessionIds, ending);
      const begun = await sessions.begunBy(by.userId, credential, MAX_SESSIONS_READ);
      for (const session of begun) if (session._id !== keep) await end(session, ending);
    },

    /** Ends all active sessions and forgets their devices, in the transaction of the cause. The ids are for `endedAll`. */
    async endAllIn(userId: string, transaction: ClientSession): Promise<string[]> {
      const ending = await sessions.active(userId, new Date(clock.now()), 0, MAX_SESSIONS_READ, transaction);
      await sessions.endAll(userId, "ended", transaction, true);
      return ending.map(({ _id }) => _id);
    },

    /**
     * Call right after that commit: announces the sessions and API tokens that it ended, and ends sessions that a concurrent
     * sign-in has opened since.
     */
    async endedAll(
      userId: string,
      { sessionIds, tokenIds }: { sessionIds: string[]; tokenIds: string[] },
      ending: Ending,
    ): Promise<void> {
      await announceEnded(userId, sessionIds, ending, tokenIds);
      const begun = await sessions.active(userId, new Date(clock.now()), 0, MAX_SESSIONS_READ);
      for (const session of begun) await end(session, ending);
    },

    /** Call right after the commit of a ban. Doesn't use the database, which may be unavailable since; never rejects. */
    async announceBanned({ ban: { userId }, sessionIds, tokenIds }: Banned, by: Actor): Promise<void> {
      const ended = (_id: string) => ({ _id, userId, endReason: "banned" as const });
      for (const session of sessionIds.map(ended)) auditEnd(session, { why: "account_banned", by });
      for (const grantId of tokenIds)
        audit("api_token.ended", by, { grantId, accountId: userId, reason: "account_banned" });
      await announceAll(userId, [...sessionIds, ...tokenIds].map(ended));
    },

    announceEnded,

    /** Ends sessions opened by sign-ins concurrent with the ban, and announces again all that the ban ended. Idempotent. */
    async endBanned(userId: string, by: Actor): Promise<void> {
      const begun = await sessions.active(userId, new Date(clock.now()), 0, MAX_SESSIONS_READ);
      for (const session of begun) await end(session, { why: "account_banned", by });
      // Not `clock`, which specs move: sessions end by the database's time.
      const since = new Date(processClock.now() - ANNOUNCE_AGAIN_MS);
      const [ofSessions, ofTokens] = await Promise.all([
        sessions.endedByBan(userId, since, MAX_SESSIONS_READ),
        tokens.endedByBan(userId, since),
      ]);
      await announceAll(userId, [...ofSessions, ...ofTokens]);
    },

    /**
     * Checks the database, for transactions that also write the account, which therefore conflict with whatever ends all of the
     * account's sessions.
     */
    async requireActive(sessionId: string, transaction?: ClientSession): Promise<void> {
      const session = await sessions.find(sessionId, transaction);
      if (!session || session.endedAt !== null) throw refused(session);
    },
  };
}

export type AccountSessions = ReturnType<typeof createAccountSessions>;
