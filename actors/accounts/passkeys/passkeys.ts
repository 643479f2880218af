/**
 * Passkeys (WebAuthn), a way to sign in beside password and providers (decision 0128):
 * 1. A signed-in owner who has proved that adds one: a challenge, then what the authenticator made for it.
 * 2. Anybody begins a sign-in with a challenge; the passkey that signs it, after its user was verified, says whose account it is.
 * 3. Whatever ends all other ways in, as a reset of the password, removes passkeys too.
 */

import type { ClientSession } from "mongodb";
import type { Audit } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import type { Log } from "../../../base/log.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { PasskeyAttestation } from "../../../contract/wire.ts";
import { oauthIdentitiesIn } from "../../../store/mongo/accounts/oauth-identities.ts";
import { type PasskeyDoc, passkeysIn } from "../../../store/mongo/accounts/passkeys.ts";
import { sessionsIn } from "../../../store/mongo/accounts/sessions.ts";
import { type UserDoc, usersIn } from "../../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import type { Mails } from "../../mail/mails.ts";
import type { MailData } from "../../mail/texts.ts";
import type { OauthSettings } from "../oauth/provider.ts";
import type { UserSessions } from "../sessions/user-sessions.ts";
import type { SignIn } from "../sign-in/sign-in.ts";
import type { Owner } from "../two-factor/reauthentication.ts";
import type { TwoFactor } from "../two-factor/two-factor.ts";
import { CHALLENGE_SECONDS, createChallenges } from "./challenges.ts";
import { createPasskeyProofs } from "./passkey-proofs.ts";
import { createRelyingParty } from "./relying-party.ts";

const MOST = 20;

type Deps = {
  mongo: Mongo;
  redis: RedisConnection;
  clock: Clock;
  log: Log;
  audit: Audit;
  mails: Pick<Mails, "request">;
  signIn: Pick<SignIn, "signInWithPasskey">;
  twoFactor: Pick<TwoFactor, "steppedUp">;
  sessions: Pick<UserSessions, "requireActive" | "endedWith">;
  oauthSettings: Pick<OauthSettings, "providers">;
  instanceName: string;
  publicUrl: string;
  allowedOrigins: readonly string[];
};

export function createPasskeys(deps: Deps) {
  const { mongo, clock, audit, mails, oauthSettings } = deps;
  const passkeys = passkeysIn(mongo.db);
  const users = usersIn(mongo.db);
  const sessions = sessionsIn(mongo.db);
  const links = oauthIdentitiesIn(mongo.db);
  const challenges = createChallenges(deps);
  const relyingParty = createRelyingParty(deps);
  const proofs = createPasskeyProofs({ ...deps, passkeys, challenges, relyingParty });

  /** Writes the account, so that changes of its passkeys and links, and what ends all of them, conflict. */
  async function touch({ caller }: Owner, session: ClientSession): Promise<UserDoc> {
    const change = { $inc: { passkeysVersion: 1 } };
    const user = await users.update(caller.userId, change, { session, expected: { status: "active" } });
    if (!user) throw new ServiceError("invalid_token");
    await deps.sessions.requireActive(caller.sessionId, session);
    return user;
  }

  /** Mails a verified address only: any other may be a stranger's. */
  async function notify(
    { _id: userId, username, email: to, emailVerifiedAt }: UserDoc,
    change: MailData["passkey_changed"]["change"],
    session: ClientSession,
  ): Promise<void> {
    if (!emailVerifiedAt) return;
    const data = { username, change, at: new Date(clock.now()).toISOString() };
    const key = `passkey_${change}:${newId()}`;
    await mails.request({ key, template: "passkey_changed", to, userId, data }, session);
  }

  /** Whether the account can be signed in to without that passkey. */
  async function hasAnother(user: UserDoc, passkey: PasskeyDoc, session: ClientSession): Promise<boolean> {
    if (user.passwordHash !== null) return true;
    if ((await passkeys.ofUser(user._id, session)).some(({ _id }) => _id !== passkey._id)) return true;
    const configured = new Set(oauthSettings.providers.map(({ issuer }) => issuer));
    return (await links.ofUser(user._id, session)).some(({ issuer }) => configured.has(issuer));
  }

  const full = () => new ServiceError("limit_reached", { limit: MOST });

  return {
    ...proofs,

    ofUser: (userId: string) => passkeys.ofUser(userId),

    /** Throws `limit_reached`. */
    async startRegistration({ user, caller }: Owner) {
      const own = await passkeys.ofUser(user._id);
      if (own.length >= MOST) throw full();
      const options = relyingParty.creationOptions(user, own);
      const { userId, sessionId } = caller;
      await challenges.put(options.challenge, { for: "registration", userId, sessionId });
      return { options, expiresIn: CHALLENGE_SECONDS };
    },

    /** Throws `passkey_refused`, `passkey_taken`, `limit_reached`. */
    async add(
      owner: Owner,
      { name, credential: sent }: { name: string; credential: PasskeyAttestation },
    ): Promise<PasskeyDoc> {
      const { userId, sessionId } = owner.caller;
      const challenge = await relyingParty.challengeOf(sent);
      const isOurs =
        challenge !== null && (await challenges.take(challenge, { for: "registration", userId, sessionId }));
      const credential = isOurs ? await relyingParty.verifyRegistration(sent, challenge) : null;
      if (!credential) throw new ServiceError("passkey_refused");
      const createdAt = new Date(clock.now());
      const doc: PasskeyDoc = { _id: newId(), userId, name, ...credential, createdAt, lastUsedAt: null };
      await inTransaction(mongo.client, async (session) => {
        const user = await touch(owner, session);
        if ((await passkeys.ofUser(userId, session)).length >= MOST) throw full();
        if (!(await passkeys.add(doc, session))) throw new ServiceError("passkey_taken");
        await notify(user, "added", session);
      });
      audit("passkey.added", { userId, origin: owner.origin }, { passkeyId: doc._id });
      return doc;
    },

    /** Throws `not_found`. */
    async rename(userId: string, id: string, name: string): Promise<PasskeyDoc> {
      const renamed = await passkeys.rename(userId, id, name);
      if (!renamed) throw new ServiceError("not_found");
      return renamed;
    },

    /** Ends the sessions that it began, except the caller's. Throws `not_found`, `last_sign_in`. */
    async remove(owner: Owner, id: string): Promise<void> {
      const { userId, sessionId } = owner.caller;
      const begun = { passkeyId: id };
      const ended = await inTransaction(mongo.client, async (session) => {
        const user = await touch(owner, session);
        const passkey = (await passkeys.ofUser(userId, session)).find(({ _id }) => _id === id);
        if (!passkey) throw new ServiceError("not_found");
        if (!(await hasAnother(user, passkey, session))) throw new ServiceError("last_sign_in");
        await passkeys.remove(id, session);
        await notify(user, "removed", session);
        return sessions.endAllBut(userId, sessionId, session, begun);
      });
      const by = { userId, origin: owner.origin };
      audit("passkey.removed", by, { passkeyId: id });
      await deps.sessions.endedWith(begun, sessionId, ended, by);
    },
  };
}
