import type { Audit } from "../../base/audit.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { ServiceError } from "../../contract/errors.ts";
import { accountBansIn } from "../../store/mongo/accounts/account-bans.ts";
import { apiTokensIn } from "../../store/mongo/accounts/api-tokens.ts";
import { emailTokensIn } from "../../store/mongo/accounts/email-tokens.ts";
import { oauthIdentitiesIn } from "../../store/mongo/accounts/oauth-identities.ts";
import { sessionsIn } from "../../store/mongo/accounts/sessions.ts";
import { signingKeysIn } from "../../store/mongo/accounts/signing-keys.ts";
import { usersIn } from "../../store/mongo/accounts/users.ts";
import { filesIn } from "../../store/mongo/channels/files.ts";
import { streamsIn } from "../../store/mongo/channels/streams.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { countersIn } from "../../store/mongo/driver/counters.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { createSealing, type MasterKey } from "../keys/sealing.ts";
import type { Mails } from "../mail/mails.ts";
import type { Identity } from "./identity-types.ts";
import { createLoginThrottle } from "./passwords/login-throttle.ts";
import { createPasswords, type Passwords } from "./passwords/passwords.ts";
import { createDeletionRequest } from "./profile/deletion-request.ts";
import { createDirectory } from "./profile/directory.ts";
import { createAddresses } from "./profile/email-addresses.ts";
import { createProfileChanges } from "./profile/profile-changes.ts";
import { createRenames } from "./profile/renames.ts";
import { createAccountSessions } from "./sessions/account-sessions.ts";
import { createDevices } from "./sessions/devices.ts";
import { createLastSeen } from "./sessions/last-seen.ts";
import { createAccountAccess } from "./sign-in/account-access.ts";
import { createLogin } from "./sign-in/login.ts";
import { createOwnAccounts } from "./sign-in/own-accounts.ts";
import { createPasswordChanges } from "./sign-in/password-changes.ts";
import { createProofs } from "./sign-in/proofs.ts";
import { createAccountBans } from "./staff/account-bans.ts";
import { isAbleStaff, setStaff } from "./staff/staff.ts";
import { createStaffMembers } from "./staff/staff-members.ts";
import { createAccountDeletion } from "./standing/account-deletion.ts";
import { standingIn } from "./standing/account-standing.ts";
import { createAuditTrail } from "./standing/audit-trail.ts";
import { createBanRefusals } from "./standing/ban-refusals.ts";
import { createAccessTokens } from "./tokens/access-tokens.ts";
import { createApiTokens } from "./tokens/api-tokens.ts";
import { createAppealTokens } from "./tokens/appeal-tokens.ts";
import { createBindings } from "./tokens/bindings.ts";
import { createCheckedTickets } from "./tokens/checked-tickets.ts";
import { createCookieSessions } from "./tokens/cookie-sessions.ts";
import { createCredentialChecks } from "./tokens/credential-checks.ts";
import { createCredentials } from "./tokens/credentials.ts";
import { createKeyRing } from "./tokens/key-ring.ts";
import { createRefreshTokens } from "./tokens/refresh-tokens.ts";
import { createRevocations } from "./tokens/revocations.ts";
import type { SessionRevocation } from "./tokens/session-endings.ts";
import { createKeyRotation } from "./tokens/stream-keys.ts";
import { createTickets } from "./tokens/tickets.ts";
import { createVerifiedSessions } from "./tokens/verified-sessions.ts";
import { createReauthentication } from "./two-factor/reauthentication.ts";

export type { Identity } from "./identity-types.ts";

type IdentityDeps = {
  mongo: Mongo;
  /** A connection that fails fast. */
  redis: RedisConnection;
  clock: Clock;
  log: Log;
  audit: Audit;
  mails: Mails;
  masterKey: MasterKey;
  /** Default: Argon2id at its full cost. */
  passwords?: Passwords;
  /** Notifies the gateways that a session has ended, or with a null session all of a user's. */
  publishRevoked: (revocation: SessionRevocation) => Promise<void>;
};

/** Accounts, sign-in, sessions and tokens of one process. Use it between `start` and `stop`. */
export function createIdentity(deps: IdentityDeps): Identity {
  const { mongo, redis, clock, log, audit, mails, masterKey, publishRevoked } = deps;
  const users = usersIn(mongo.db);
  const sessions = sessionsIn(mongo.db);
  const streams = streamsIn(mongo.db);
  const counters = countersIn(mongo.db);
  const tokens = apiTokensIn(mongo.db);
  const links = oauthIdentitiesIn(mongo.db);

  const sealing = createSealing(masterKey);
  const { passwords = createPasswords() } = deps;
  const throttle = createLoginThrottle(redis);
  const keyRing = createKeyRing({ keys: signingKeysIn(mongo.db), sealing, clock, log, audit });
  const accessTokens = createAccessTokens({ keyRing, clock });
  const refreshTokens = createRefreshTokens(masterKey);
  const revocations = createRevocations({ sources: [sessions, tokens], clock, log });
  const renames = createRenames({ users, clock, log });
  const staffMembers = createStaffMembers({ users, log });
  const devices = createDevices({ masterKey, sessions, clock });
  const bindings = createBindings(masterKey);
  const cookieSessions = createCookieSessions({ bindings, accessTokens, refreshTokens });
  const deletion = createAccountDeletion({ mongo, audit, clock });
  const accountSessions = createAccountSessions({
    deletion,
    sessions,
    users,
    accessTokens,
    refreshTokens,
    revocations,
    devices,
    bindings,
    tokens,
    links,
    audit,
    publishRevoked,
    clock,
    log,
  });
  const apiTokens = createApiTokens({
    mongo,
    users,
    revocations,
    mails,
    audit,
    clock,
    log,
    announce: accountSessions.announce,
    requireSession: accountSessions.requireActive,
  });
  const emailTokens = emailTokensIn(mongo.db);
  const ownAccounts = createOwnAccounts({
    ...deps,
    users,
    streams,
    counters,
    emailTokens,
    passwords,
    sealing,
  });
  const addresses = createAddresses({ ...deps, users, tokens: emailTokens });
  const rotateKey = createKeyRotation({ mongo, sealing, clock });
  const access = createAccountAccess({
    ...deps,
    users,
    tokens: emailTokens,
    passwords,
    accountSessions,
    deletion,
    sealing,
    async alsoEnds(userId, session) {
      await links.removeAll(userId, session);
      const tokenIds = await tokens.endAll(userId, "ended", session);
      return { tokenIds, streamId: await rotateKey(userId, session) };
    },
  });
  const requirePassword = createReauthentication({ passwords, throttle, audit });
  const files = filesIn(mongo.db);
  const profiles = createProfileChanges({
    mongo,
    users,
    files,
    requirePassword,
    requireSession: accountSessions.requireActive,
    throttle,
    addresses,
    audit,
    clock,
  });
  const ending = { mongo, users, sessions, tokens, requirePassword, audit, clock };
  const changePassword = createPasswordChanges({ ...ending, passwords, throttle, accountSessions, mails });
  const standing = standingIn(mongo.db);
  const trail = createAuditTrail({ mongo, audit, clock, log });
  const bans = accountBansIn(mongo.db);
  const appealTokens = createAppealTokens({ masterKey, clock });
  const banRefusals = createBanRefusals({ bans, appealTokens, audit });
  const { twoFactor, signInSteps, stepUp, requireFresh } = createProofs({
    mongo,
    redis,
    clock,
    audit,
    mails,
    sealing,
    ownAccounts,
    devices,
    bindings,
    accountSessions,
    requirePassword,
    banRefusals,
  });
  const requestDeletion = createDeletionRequest({
    ...ending,
    emailTokens,
    mails,
    endedAll: accountSessions.endedAll,
    requireSession: accountSessions.requireActive,
  });
  const login = createLogin({ ownAccounts, devices, deletion, throttle, passwords, signInSteps, audit });
  const lastSeen = createLastSeen({ sessions, clock, log });
  const verifyCredential = createCredentials({ accessTokens, apiTokens });
  const verified = createVerifiedSessions({ sessions, tokens, users, clock });
  const { requireActive, requireUnmarked } = createCredentialChecks({ revocations, verified, redis });
  const heldTickets = createCheckedTickets({
    tickets: createTickets({ redis, clock }),
    requireActive,
    requireUnmarked,
    withNewName,
    clock,
  });
  const accountBans = createAccountBans({ mongo, bans, standing, trail, accountSessions, audit, clock });

  /** Tokens and tickets have the name from when they were issued; replaces it by the current one. */
  function withNewName<Named extends { userId: string; username: string }>(named: Named): Named {
    return { ...named, username: renames.find(named.userId) ?? named.username };
  }

  const isStaff = async (userId: string) => isAbleStaff(await users.findPublic(userId));

  const authenticate: Identity["authenticate"] = async (
    credential,
    via,
    { withoutDatabase = false } = {},
  ) => {
    const caller = await verifyCredential(credential, via);
    await requireActive(caller, withoutDatabase);
    if (caller.grant) apiTokens.noteUse(caller.sessionId);
    else lastSeen.note(caller.sessionId);
    return withNewName(caller);
  };

  return {
    async register(input, origin) {
      const user = await ownAccounts.create(input, addresses.verification);
      audit("registered", { userId: user._id, origin }, {});
      const { passwordHash } = user;
      return accountSessions.open(user._id, origin, { passwordHash, linkId: null, secondFactor: false });
    },

    verifyEmail: addresses.verify,
    resendVerification: async (caller) => addresses.resend(await ownAccounts.requireOwn(caller.userId)),
    undoEmailChange: access.undo,
    undoTwoFactor: (token, origin) => access.undo(token, origin, "undo_two_factor"),
    forgotPassword: access.forgot,
    resetPassword: access.reset,
    sweepPasswordResets: access.sweep,

    login,
    findByAddress: (email) => users.findByEmail(email.toLowerCase()),
    requireNotBanned: banRefusals.requireNotBanned,
    async signInProven({ _id: linkId, userId }, { knownDevice, viaCookie }, origin) {
      const user = await users.find(userId);
      if (!user || (user.status === "deleted" && !deletion.isUndoable(user)))
        throw new ServiceError("invalid_token");
      const device = await devices.find(knownDevice);
      const known = device?.userId === userId ? device : null;
      return signInSteps.afterFirstFactor(user, { known, viaCookie, linkId }, origin);
    },
    async registerProven({ linkId, ...input }, alsoWrite, origin) {
      const user = await ownAccounts.createProven(input, (made) => {
        const verify = made.emailVerifiedAt ? null : addresses.verification(made);
        return async (session) => {
          await alsoWrite(made._id, session);
          await verify?.(session);
        };
      });
      audit("registered", { userId: user._id, origin }, {});
      return accountSessions.open(user._id, origin, { passwordHash: null, linkId, secondFactor: false });
    },
    requireSession: accountSessions.requireActive,
    takeOver: access.takeOver,
    takenOver: access.takenOver,
    endedWithLink: accountSessions.endedWithLink,
    finishLogin: signInSteps.finish,
    twoFactor,
    stepUp,
    requireFresh,
    ownerOf: async (caller, origin) => ({
      user: await ownAccounts.requireOwn(caller.userId),
      caller,
      origin,
    }),
    refresh: (token, origin) => accountSessions.refresh(token, origin),
    async refreshByCookie(sent, origin) {
      const { token, lacksBinding } = await cookieSessions.refreshTokenIn(sent);
      return accountSessions.refresh(token, origin, lacksBinding);
    },
    deviceIn: cookieSessions.deviceIn,
    isBrowserOf: cookieSessions.isOf,
    logout: async (caller, origin) => void (await accountSessions.endOne(caller, "log_out", origin)),

    authenticate,
    authenticateByCookie: async (sent, options) =>
      authenticate(await cookieSessions.accessTokenIn(sent), "cookie", options),
    apiTokens,
    jwks: () => keyRing.jwks(),

    ...heldTickets,

    me: (caller) => ownAccounts.requireOwn(caller.userId),
    async updateMe(caller, change, origin) {
      const user = await ownAccounts.requireOwn(caller.userId);
      const changed = await profiles.apply({ user, caller, origin }, change);
      if (changed.username !== user.username) renames.note({ userId: user._id, username: changed.username });
      return changed;
    },

    async changePassword(caller, change, origin) {
      await changePassword({ user: await ownAccounts.requireOwn(caller.userId), caller, origin }, change);
    },
    async deleteAccount(caller, password, origin) {
      await requestDeletion({ user: await ownAccounts.requireOwn(caller.userId), caller, origin }, password);
    },

    sessions: (userId) => accountSessions.list(userId),
    writeLastSeen: lastSeen.flush,
    async endSession({ userId }, sessionId, origin) {
      const ended = await accountSessions.endOne({ userId, sessionId }, "removed", origin);
      if (!ended) throw new ServiceError("not_found");
    },
    async endOtherSessions(caller, origin, also = { endsTokens: false }) {
      await accountSessions.endOthers(caller.userId, caller.sessionId, origin);
      if (also.endsTokens) await apiTokens.removeAll(caller, origin);
    },

    ...accountBans,
    endBanned: accountSessions.endBanned,
    appellantOf: appealTokens.read,
    isStaff,
    async seesAsStaff(viewer) {
      const passes = viewer !== null && viewer.grant === null && (await isStaff(viewer.userId));
      if (passes) viewer.passedAsStaff = true;
      return passes;
    },
    async requireStaff({ userId, sessionId }) {
      const [user, session] = await Promise.all([users.findPublic(userId), sessions.find(sessionId)]);
      if (!user?.isStaff) throw new ServiceError("forbidden");
      if (!isAbleStaff(user) || !session?.secondFactor) throw new ServiceError("two_factor_required");
    },
    setStaff: (username, isStaff, by) =>
      setStaff({ mongo, audit, now: new Date(clock.now()) }, username, isStaff, by),

    ...createDirectory(users),

    onRevoked: (handler) => revocations.onRevoked(handler),
    onRenamed: renames.onRenamed,
    newNameOf: renames.find,
    isKnownStaff: staffMembers.has,
    onStaffChanged: staffMembers.onChanged,
    refusedOf: verified.refusedOf,
    isRevoked: (sessionId) => revocations.find(sessionId) !== null,
    noteRevoked: ({ userId, sessionId, reason }) =>
      revocations.note({ _id: sessionId, userId, endReason: reason }),

    async start() {
      await Promise.all([keyRing.start(), passwords.start()]);
      await Promise.all([revocations.start(), renames.start(), staffMembers.start()]);
      lastSeen.start();
    },
    async stop() {
      keyRing.stop();
      await Promise.all([revocations.stop(), renames.stop(), staffMembers.stop(), lastSeen.stop()]);
      await Promise.all([apiTokens.stop(), trail.idle()]);
    },
  };
}
