import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { countersIn } from "../../store/mongo/counters.ts";
import { sessionsIn } from "../../store/mongo/sessions.ts";
import { signingKeysIn } from "../../store/mongo/signing-keys.ts";
import { streamsIn } from "../../store/mongo/streams.ts";
import { usersIn } from "../../store/mongo/users.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { createAccessTokens } from "./access-tokens.ts";
import { createAccounts } from "./accounts.ts";
import type { Identity } from "./identity-types.ts";
import { createKeyRing } from "./key-ring.ts";
import { createLoginThrottle } from "./login-throttle.ts";
import { createPasswords } from "./passwords.ts";
import { createProfileChanges } from "./profile-changes.ts";
import { createRefreshTokens } from "./refresh-tokens.ts";
import { createRevocations } from "./revocations.ts";
import { createSealing } from "./sealing.ts";
import { createSignIns, type Order } from "./sign-ins.ts";
import { setStaff } from "./staff.ts";
import { createTickets, TICKET_SECONDS } from "./tickets.ts";

export type { Identity, Origin, ProfileChange, Revoked, SignIn, TicketHolder } from "./identity-types.ts";

export type IdentityDeps = {
  mongo: Mongo;
  /** A connection that fails fast. */
  redis: RedisConnection;
  clock: Clock;
  log: Log;
  masterKey: string;
  /** Tells the gateways that a session, or with null all of a user's, has ended. */
  publishRevoked: (order: Order) => Promise<void>;
};

/** Accounts, sign-in, sessions and tokens of one process. Use it between `start` and `stop`. */
export function createIdentity(deps: IdentityDeps): Identity {
  const { mongo, redis, clock, log, masterKey, publishRevoked } = deps;
  const users = usersIn(mongo.db);
  const sessions = sessionsIn(mongo.db);
  const streams = streamsIn(mongo.db);
  const counters = countersIn(mongo.db);

  const sealing = createSealing(masterKey);
  const passwords = createPasswords();
  const throttle = createLoginThrottle(redis);
  const keyRing = createKeyRing({ keys: signingKeysIn(mongo.db), sealing, clock, log });
  const accessTokens = createAccessTokens({ keyRing, clock });
  const refreshTokens = createRefreshTokens(masterKey);
  const revocations = createRevocations({ sessions, clock, log });
  const signIns = createSignIns({
    sessions,
    users,
    accessTokens,
    refreshTokens,
    revocations,
    publishRevoked,
    clock,
    log,
  });
  const accounts = createAccounts({ mongo, users, streams, counters, passwords, sealing, clock });
  const profiles = createProfileChanges({ mongo, users, passwords, throttle, clock });
  const tickets = createTickets({ redis, clock });

  /** Refuses a session that has ended: from memory while that is fresh, else from the database. */
  async function requireLasting(sessionId: string): Promise<void> {
    const ended = revocations.find(sessionId);
    if (ended) throw new ServiceError(ended.reason === "banned" ? "account_banned" : "invalid_token");
    if (!revocations.isFresh()) await signIns.requireLasting(sessionId);
  }

  async function requireVisible(user: Promise<Awaited<ReturnType<Identity["findUser"]>>>) {
    const found = await user;
    if (!found || found.status === "deleted") throw new ServiceError("not_found");
    return found;
  }

  return {
    async register(input, origin) {
      const user = await accounts.create(input);
      return signIns.open(user._id, origin);
    },

    async login({ login, password, knownDevice }, origin) {
      const user = await accounts.findByLogin(login);
      const known = user && knownDevice && (await signIns.isKnownDevice(user._id, knownDevice));
      const key = throttle.keyOf(user?._id ?? login.toLowerCase(), known ? knownDevice : null);
      await throttle.take(key);
      const usable = user !== null && user.status !== "deleted";
      // Asked in every case, so that the answer takes as long for a name that nobody has.
      const matches = await passwords.matches(usable ? user.passwordHash : null, password);
      if (!matches || !usable) throw new ServiceError("invalid_credentials");
      await throttle.reset(key);
      if (user.status === "banned") throw new ServiceError("account_banned");
      return signIns.open(user._id, origin);
    },

    refresh: (token, origin) => signIns.refresh(token, origin),
    logout: async (caller) => void (await signIns.endOne(caller.userId, caller.sessionId)),

    async authenticate(accessToken, via) {
      const claims = await accessTokens.verify(accessToken);
      await requireLasting(claims.sessionId);
      return { kind: "user", via, ...claims };
    },
    jwks: () => keyRing.jwks(),

    async issueTicket(caller) {
      return { ticket: await tickets.issue(caller), expiresInSeconds: TICKET_SECONDS };
    },
    async redeemTicket(ticket) {
      const holder = await tickets.redeem(ticket);
      if (!holder) return null;
      try {
        await requireLasting(holder.sessionId);
        return holder;
      } catch (err) {
        if (err instanceof ServiceError) return null;
        throw err;
      }
    },

    me: (caller) => accounts.requireOwn(caller.userId),
    updateMe: async (caller, change) => profiles.apply(await accounts.requireOwn(caller.userId), change),

    sessions: (userId) => signIns.list(userId),
    async endSession(caller, sessionId) {
      if (!(await signIns.endOne(caller.userId, sessionId))) throw new ServiceError("not_found");
    },
    endOtherSessions: (caller) => signIns.endOthers(caller.userId, caller.sessionId),

    async ban(userId) {
      // The status first: a sign-in that is under way looks at it after it has written its session.
      const user = await users.update(userId, {
        $set: { status: "banned", updatedAt: new Date(clock.now()) },
      });
      if (!user) throw new ServiceError("not_found");
      await signIns.endAll(userId);
    },
    async unban(userId) {
      const change = { $set: { status: "active" as const, updatedAt: new Date(clock.now()) } };
      await users.update(userId, change, { expected: { status: "banned" } });
    },
    isStaff: async (userId) => (await users.findPublic(userId))?.isStaff ?? false,
    setStaff: (username, isStaff) => setStaff(users, username, isStaff, new Date(clock.now())),

    findUser: (userId) => users.findPublic(userId),
    requireUser: (userId) => requireVisible(users.findPublic(userId)),
    requireByUsername: (username) => requireVisible(users.findPublicByUsername(username.toLowerCase())),
    async usersByIds(userIds) {
      const found = await users.findManyPublic([...new Set(userIds)]);
      return new Map(found.map((user) => [user._id, user]));
    },

    onRevoked: (handler) => revocations.onRevoked(handler),
    isRevoked: (sessionId) => revocations.find(sessionId) !== null,

    async start() {
      await keyRing.start();
      await revocations.start();
    },
    async stop() {
      keyRing.stop();
      await revocations.stop();
    },
  };
}
