/**
 * Account recovery by mail, which locks out anybody else who has access:
 * - A forgotten password. The request is one write, the same for every address, so that neither its answer nor its timing
 *   reveals whether an account exists; a sweep checks that and mails the link.
 * - An undone change of address. Whoever made the change knew the password, so the password is invalidated: the restored
 *   address gets a link to choose another.
 * - An undone second factor, of the last seven days. Whoever switched it on had access to the account and may have changed its
 *   address since, so this is handled like an undone change of address.
 * All of them revoke every session, every API token, all linked providers, all passkeys and the stream key (`alsoEnds`), and a second factor
 * that may be a stranger's: somebody who registered with another person's address keeps no access. All of them restore a
 * deleted account, since somebody else with access may have deleted it.
 */
import { createHmac, randomBytes } from "node:crypto";
import type { ClientSession } from "mongodb";
import type { Actor, Audit, Origin } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import type { Log } from "../../../base/log.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { ApiTokensStore } from "../../../store/mongo/accounts/api-tokens.ts";
import type { EmailTokens } from "../../../store/mongo/accounts/email-tokens.ts";
import type { OauthIdentities } from "../../../store/mongo/accounts/oauth-identities.ts";
import type { PasskeysStore } from "../../../store/mongo/accounts/passkeys.ts";
import {
  type ResetRequestDoc,
  resetRequestsIn,
} from "../../../store/mongo/accounts/password-reset-requests.ts";
import type { UserDoc, Users } from "../../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { deriveKey, type MasterKey, type Sealing } from "../../keys/sealing.ts";
import type { Mails } from "../../mail/mails.ts";
import type { Passwords } from "../passwords/passwords.ts";
import type { AccountSessions } from "../sessions/account-sessions.ts";
import type { AccountDeletion } from "../standing/account-deletion.ts";
import { mailOfLink, newLink, UNDO_LINK_TTL_MS } from "../tokens/email-links.ts";
import { hashToken } from "../tokens/refresh-tokens.ts";
import { createKeyRotation } from "../tokens/stream-keys.ts";
import { removeUnprovenFactor } from "../two-factor/unproven.ts";

/** Requests per sweep; more are left to the next one. */
const BATCH = 100;

type Deps = {
  mongo: Mongo;
  users: Users;
  tokens: EmailTokens;
  mails: Mails;
  passwords: Passwords;
  accountSessions: AccountSessions;
  deletion: Pick<AccountDeletion, "isUndoable" | "undoIn">;
  sealing: Sealing;
  masterKey: MasterKey;
  links: Pick<OauthIdentities, "removeAll">;
  passkeys: Pick<PasskeysStore, "removeAll">;
  apiTokens: Pick<ApiTokensStore, "endAll">;
  audit: Audit;
  clock: Clock;
  log: Log;
};

export const passwordResetContext = (id: string) => `password-reset:${id}`;

export function createRecovery(deps: Deps) {
  const { mongo, users, tokens, mails, passwords, accountSessions, deletion, sealing } = deps;
  const { links, passkeys, apiTokens, audit, clock, log } = deps;
  const rotateKey = createKeyRotation(deps);
  const requests = resetRequestsIn(mongo.db);
  const key = deriveKey(deps.masterKey, "password-resets");

  /** A new link to choose a password. Earlier links stay valid until one of them is used. */
  function resetLink(user: Pick<UserDoc, "_id" | "username" | "email">) {
    const { _id: userId, username, email } = user;
    const { token, doc } = newLink("reset", { userId, email }, clock.now());
    return async (session: ClientSession): Promise<void> => {
      await tokens.put(doc, session);
      const mail = { ...mailOfLink(doc), template: "reset_password", data: { username, token } } as const;
      await mails.request(mail, session);
    };
  }

  const isReachable = (user: UserDoc): boolean => user.status !== "deleted" || deletion.isUndoable(user);

  /** Restores the account, as just written by the transaction, if it was deleted. Throws `invalid_token` when it's too late. */
  async function restoreIfDeleted(user: UserDoc, session: ClientSession): Promise<boolean> {
    if (user.status !== "deleted") return false;
    if (!(await deletion.undoIn(user, session))) throw new ServiceError("invalid_token");
    return true;
  }

  type Ended = Awaited<ReturnType<typeof endAll>>;

  function auditEnded(by: Actor & { userId: string }, { isFactorOff, streamId }: Ended): void {
    if (isFactorOff) audit("two_factor.disabled", by, { accountId: by.userId });
    audit("stream_key.rotated", by, { streamId });
  }

  /** Revokes all other credentials, in the transaction that ends the sessions. Returns ids of the API tokens and the stream. */
  async function alsoEnds(userId: string, session: ClientSession) {
    await links.removeAll(userId, session);
    await passkeys.removeAll(userId, session);
    const tokenIds = await apiTokens.endAll(userId, "ended", session);
    return { tokenIds, streamId: await rotateKey(userId, session) };
  }

  /** Returns what it ended. `since`: for an undone act, the time from which on a second factor may be the intruder's. */
  async function endAll(userId: string, session: ClientSession, since: Date | null = null) {
    const account = { userId, since, now: new Date(clock.now()) };
    const isFactorOff = await removeUnprovenFactor(mongo, account, session);
    return {
      ...(await alsoEnds(userId, session)),
      sessionIds: await accountSessions.endAllIn(userId, session),
      isFactorOff,
    };
  }

  async function processRequest(request: ResetRequestDoc): Promise<void> {
    const email = sealing.unseal(request.sealed, passwordResetContext(request._id));
    const user = await users.findByEmail(email.toLowerCase());
    if (!user || !isReachable(user)) return void (await requests.take(request));
    const writeLink = resetLink(user);
    let mayMail: Promise<boolean> | null = null;
    await inTransaction(mongo.client, async (session) => {
      // Before the limit: of two workers with the same request only one takes from it, and once however often this is tried.
      if (!(await requests.take(request, session))) return;
      mayMail ??= mails.takeOne("reset_password", user.email);
      if (await mayMail) await writeLink(session);
    });
  }

  /** Restores the address that the token was mailed to. Throws invalid_token. */
  async function undo(token: string, origin: Origin, purpose: "undo" | "undo_two_factor"): Promise<void> {
    const hash = hashToken(token);
    const link = await tokens.find(hash, [purpose], new Date(clock.now()));
    const user = link && (await users.find(link.userId));
    if (!link || !user || !isReachable(user)) throw new ServiceError("invalid_token");
    const { userId, email, emailKey, createdAt } = link;
    const isOfAddress = purpose === "undo";
    // Whoever changed the address may have switched on a second factor before, whose code the owner couldn't give.
    const since = new Date(createdAt.getTime() - (isOfAddress ? UNDO_LINK_TTL_MS : 0));
    const passwordHash = await passwords.hash(randomBytes(32).toString("base64url"));
    const writeLink = resetLink({ ...user, email });
    const now = new Date(clock.now());
    const ended = await inTransaction(mongo.client, async (session) => {
      if (!(await tokens.take(hash, [purpose], now, session))) throw new ServiceError("invalid_token");
      const set = { email, emailKey, emailVerifiedAt: now, passwordHash, updatedAt: now };
      const done = await users.update(userId, { $set: set }, { session });
      if (!done) throw new ServiceError("invalid_token");
      const isRestored = await restoreIfDeleted(done, session);
      await tokens.remove(userId, ["verify", "change", "reset", "undo_two_factor"], session);
      // Later changes built on this one, so their undo links, which lead to addresses after it, are removed.
      await tokens.removeUndosSince(userId, createdAt, session);
      await writeLink(session);
      return { isRestored, ...(await endAll(userId, session, since)) };
    });
    const by = { userId, origin };
    if (ended.isRestored) audit("account.restored", by, {});
    if (isOfAddress || user.emailKey !== emailKey) audit("email.restored", by, {});
    auditEnded(by, ended);
    await accountSessions.endedAll(userId, ended, {
      why: isOfAddress ? "email_restored" : "two_factor_changed",
      by,
    });
  }

  return {
    /** Does the same for every address, whether or not it has an account; `sweepPasswordResets` mails the links. */
    async forgotPassword(email: string): Promise<void> {
      const _id = createHmac("sha256", key).update(email.toLowerCase()).digest("base64url");
      const sealed = sealing.seal(email, passwordResetContext(_id));
      await requests.put({ _id, requestId: newId(), sealed, createdAt: new Date(clock.now()) });
    },

    /** Mails links for the stored requests whose address has an account. */
    async sweepPasswordResets(isSure: () => boolean = () => true): Promise<void> {
      for (const request of await requests.oldest(BATCH)) {
        if (!isSure()) return;
        try {
          await processRequest(request);
        } catch (err) {
          log.warn({ err, requestId: request.requestId }, "a forgotten password wasn't answered yet");
        }
      }
    },

    /** Throws invalid_token, and validation_failed, which doesn't consume the token. */
    async resetPassword(token: string, password: string, origin: Origin): Promise<void> {
      const hash = hashToken(token);
      const link = await tokens.find(hash, ["reset"], new Date(clock.now()));
      const user = link && (await users.find(link.userId));
      // The token proves only the address it was mailed to, which may no longer be this account's.
      if (!user || user.emailKey !== link.emailKey || !isReachable(user))
        throw new ServiceError("invalid_token");
      await passwords.requireStrong(password, user, { place: `reset:${user._id}` });
      const passwordHash = await passwords.hash(password);

      const { _id: userId, username, email: to, emailVerifiedAt } = user;
      const now = new Date(clock.now());
      const ended = await inTransaction(mongo.client, async (session) => {
        if (!(await tokens.take(hash, ["reset"], now, session))) throw new ServiceError("invalid_token");
        const set = { passwordHash, emailVerifiedAt: emailVerifiedAt ?? now, updatedAt: now };
        // The link was mailed to that address, so its user owns the address.
        const done = await users.update(
          userId,
          { $set: set },
          { session, expected: { emailKey: link.emailKey } },
        );
        if (!done) throw new ServiceError("invalid_token");
        const isRestored = await restoreIfDeleted(done, session);
        // Undo links stay valid: otherwise a thief who moved the account to his own address could invalidate them by a reset.
        await tokens.remove(userId, ["verify", "change", "reset"], session);
        const data = { username, at: now.toISOString() };
        const key = `password_changed:${hash.slice(0, 32)}`;
        await mails.request({ key, template: "password_changed", to, userId, data }, session);
        return { isRestored, ...(await endAll(userId, session)) };
      });
      const by = { userId, origin };
      if (ended.isRestored) audit("account.restored", by, {});
      audit("password.reset", by, {});
      auditEnded(by, ended);
      await accountSessions.endedAll(userId, ended, { why: "password_reset", by });
    },

    /**
     * For an owner who is known by the address alone, in the transaction that links their provider: ends all that a stranger may
     * have prepared in the account, as a reset does, and the password with it. Throws `email_taken` while a change of the address
     * can be undone: its undo link would outlast this, or, ended here, protect no owner from a thief who changed it.
     */
    async takeOver(userId: string, session: ClientSession): Promise<Ended> {
      const now = new Date(clock.now());
      const [undo] = await tokens.undosOf(userId, now, 1, session);
      if (undo) throw new ServiceError("email_taken");
      await tokens.remove(userId, ["verify", "change", "reset", "undo_two_factor"], session);
      await users.update(userId, { $set: { passwordHash: null, updatedAt: now } }, { session });
      return endAll(userId, session);
    },

    /** Call right after that commit. */
    async takenOver(ended: Ended, by: Actor & { userId: string }): Promise<void> {
      auditEnded(by, ended);
      await accountSessions.endedAll(by.userId, ended, { why: "provider_linked", by });
    },

    /** By the token that was mailed to the former address. Throws invalid_token. */
    undoEmailChange: (token: string, origin: Origin) => undo(token, origin, "undo"),

    /** By the token that was mailed when the second factor was enabled; it is removed with that factor. Throws invalid_token. */
    undoTwoFactor: (token: string, origin: Origin) => undo(token, origin, "undo_two_factor"),
  };
}

export type Recovery = ReturnType<typeof createRecovery>;
