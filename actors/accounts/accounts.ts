import type { Audit } from "../../base/audit.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { accountBansIn } from "../../store/mongo/accounts/account-bans.ts";
import { apiTokensIn } from "../../store/mongo/accounts/api-tokens.ts";
import { emailTokensIn } from "../../store/mongo/accounts/email-tokens.ts";
import { invitationsIn } from "../../store/mongo/accounts/invitations.ts";
import { oauthIdentitiesIn } from "../../store/mongo/accounts/oauth-identities.ts";
import { passkeysIn } from "../../store/mongo/accounts/passkeys.ts";
import { pendingSignInsIn } from "../../store/mongo/accounts/pending-sign-ins.ts";
import { sessionsIn } from "../../store/mongo/accounts/sessions.ts";
import { signingKeysIn } from "../../store/mongo/accounts/signing-keys.ts";
import { twoFactorsIn } from "../../store/mongo/accounts/two-factor.ts";
import { usersIn } from "../../store/mongo/accounts/users.ts";
import { filesIn } from "../../store/mongo/channels/files.ts";
import { streamsIn } from "../../store/mongo/channels/streams.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { countersIn } from "../../store/mongo/driver/counters.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { createSealing, type MasterKey } from "../keys/sealing.ts";
import type { Mails } from "../mail/mails.ts";
import { CODES, createLoginThrottle } from "./passwords/login-throttle.ts";
import { createPasswords, type Passwords } from "./passwords/passwords.ts";
import { createDirectory, type Directory } from "./profile/directory.ts";
import { createAddresses } from "./profile/email-addresses.ts";
import { createProfile, type Profile } from "./profile/profile.ts";
import { createRenames } from "./profile/renames.ts";
import { createAccountSessions } from "./sessions/account-sessions.ts";
import { createDevices } from "./sessions/devices.ts";
import { createLastSeen } from "./sessions/last-seen.ts";
import { createUserSessions, type UserSessions } from "./sessions/user-sessions.ts";
import { createOwnAccounts } from "./sign-in/own-accounts.ts";
import { createRecovery, type Recovery } from "./sign-in/recovery.ts";
import { createSignIn, type SignIn } from "./sign-in/sign-in.ts";
import { createSignUp, type SignUpMode } from "./sign-in/sign-up.ts";
import { type AccountBanning, createAccountBans } from "./staff/account-bans.ts";
import { createStaff, type Staff } from "./staff/staff.ts";
import { createStaffMembers } from "./staff/staff-members.ts";
import { createAccountDeletion } from "./standing/account-deletion.ts";
import { standingIn } from "./standing/account-standing.ts";
import { createAuditTrail } from "./standing/audit-trail.ts";
import { createBanRefusals } from "./standing/ban-refusals.ts";
import { createAccessTokens } from "./tokens/access-tokens.ts";
import { type ApiTokens, createApiTokens } from "./tokens/api-tokens.ts";
import { createAppealTokens } from "./tokens/appeal-tokens.ts";
import { createBindings } from "./tokens/bindings.ts";
import { createCookieSessions } from "./tokens/cookie-sessions.ts";
import { createKeyRing } from "./tokens/key-ring.ts";
import { createRefreshTokens } from "./tokens/refresh-tokens.ts";
import { createRevocations } from "./tokens/revocations.ts";
import type { SessionRevocation } from "./tokens/session-endings.ts";
import { createTokens, type Tokens } from "./tokens/tokens.ts";
import { createReauthentication } from "./two-factor/reauthentication.ts";
import { createSecondFactor } from "./two-factor/second-factor.ts";
import { createTwoFactor, type TwoFactor } from "./two-factor/two-factor.ts";

type Deps = {
  mongo: Mongo;
  /** A connection that fails fast. */
  redis: RedisConnection;
  clock: Clock;
  log: Log;
  audit: Audit;
  mails: Mails;
  masterKey: MasterKey;
  /** Default: anybody may sign up. */
  signUpMode?: SignUpMode;
  /** Default: Argon2id at its full cost. */
  passwords?: Passwords;
  /** Notifies the gateways that a session has ended, or with a null session all of a user's. */
  publishRevoked: (revocation: SessionRevocation) => Promise<void>;
};

/** The parts of accounts in one process, by the names under which doors and features take those that they need. */
export type AccountParts = {
  signIn: SignIn;
  recovery: Recovery;
  sessions: UserSessions;
  twoFactor: TwoFactor;
  tokens: Tokens;
  apiTokens: Pick<
    ApiTokens,
    "create" | "createForEmbed" | "page" | "remove" | "issueForOverlay" | "announceIssued" | "announceEnded"
  >;
  profile: Profile;
  directory: Directory;
  accountBans: AccountBanning;
  staff: Staff;
};

export type Accounts = AccountParts & {
  /** Loads the signing keys, prepares password checks and starts polling for revocations, renames and staff. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** Composes the parts. Use them between `start` and `stop`. */
export function createAccounts(given: Deps): Accounts {
  const { mongo, redis, clock, log, audit, masterKey } = given;
  const { db } = mongo;
  const users = usersIn(db);
  const sessions = sessionsIn(db);
  const tokens = apiTokensIn(db);
  const links = oauthIdentitiesIn(db);
  const passkeys = passkeysIn(db);
  const emailTokens = emailTokensIn(db);
  const bans = accountBansIn(db);
  const { passwords = createPasswords() } = given;
  const base = { ...given, users, sessions, tokens, links, passkeys, emailTokens, passwords };

  const sealing = createSealing(masterKey);
  const throttle = createLoginThrottle(redis);
  const codes = createLoginThrottle(redis, CODES);
  const keyRing = createKeyRing({ keys: signingKeysIn(db), sealing, clock, log, audit });
  const accessTokens = createAccessTokens({ keyRing, clock });
  const refreshTokens = createRefreshTokens(masterKey);
  const appealTokens = createAppealTokens({ masterKey, clock });
  const bindings = createBindings(masterKey);
  const cookieSessions = createCookieSessions({ bindings, accessTokens, refreshTokens });
  const revocations = createRevocations({ sources: [sessions, tokens], clock, log });
  const renames = createRenames({ users, clock, log });
  const members = createStaffMembers({ users, log });
  const lastSeen = createLastSeen({ sessions, clock, log });
  const devices = createDevices({ masterKey, sessions, clock });
  const deletion = createAccountDeletion({ mongo, audit, clock });
  const trail = createAuditTrail({ mongo, audit, clock, log });
  const banRefusals = createBanRefusals({ bans, appealTokens, audit });
  const requirePassword = createReauthentication({ passwords, throttle, audit });
  const secondFactor = createSecondFactor({ twoFactors: twoFactorsIn(db), throttle: codes, sealing, clock });
  const signUp = createSignUp({ mode: given.signUpMode ?? "open", invitations: invitationsIn(db), clock });
  const ownAccounts = createOwnAccounts({
    ...base,
    signUp,
    streams: streamsIn(db),
    counters: countersIn(db),
    sealing,
  });
  const addresses = createAddresses({ ...base, tokens: emailTokens });
  const accountSessions = createAccountSessions({
    ...base,
    accessTokens,
    refreshTokens,
    revocations,
    devices,
    bindings,
    deletion,
  });
  const apiTokens = createApiTokens({
    ...base,
    revocations,
    announce: accountSessions.announce,
    requireSession: accountSessions.requireActive,
  });
  const proving = { ...base, ownAccounts, accountSessions, requirePassword, secondFactor, sealing };

  return {
    signIn: createSignIn({
      ...proving,
      signUp,
      pendingSignIns: pendingSignInsIn(db),
      addresses,
      devices,
      bindings,
      deletion,
      banRefusals,
      throttle,
    }),
    recovery: createRecovery({ ...proving, tokens: emailTokens, apiTokens: tokens, deletion }),
    sessions: createUserSessions({ accountSessions, cookieSessions, apiTokens, lastSeen }),
    twoFactor: createTwoFactor({ ...proving, throttle: codes }),
    tokens: createTokens({
      ...base,
      keyRing,
      accessTokens,
      apiTokens,
      cookieSessions,
      revocations,
      noteSeen: lastSeen.note,
      newNameOf: renames.find,
    }),
    apiTokens,
    profile: createProfile({ ...proving, files: filesIn(db), addresses, renames, throttle }),
    directory: createDirectory({ users, renames }),
    accountBans: createAccountBans({
      ...base,
      bans,
      standing: standingIn(db),
      trail,
      appealTokens,
      accountSessions,
    }),
    staff: createStaff({ ...base, members }),

    async start() {
      await Promise.all([keyRing.start(), passwords.start()]);
      await Promise.all([revocations.start(), renames.start(), members.start()]);
      lastSeen.start();
    },
    async stop() {
      keyRing.stop();
      await Promise.all([revocations.stop(), renames.stop(), members.stop(), lastSeen.stop()]);
      await Promise.all([apiTokens.stop(), trail.idle()]);
    },
  };
}
