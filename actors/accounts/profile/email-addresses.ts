/**
 * The e-mail address of an account:
 * 1. It is verified by the link in a mail to it. Until then only verification and password resets are mailed to it.
 * 2. A new address replaces it only once that is verified; the request requires the password.
 * 3. The previous address, if it was verified, is notified, with a link that undoes the change for seven days. During this time
 *    no other account may take that address: otherwise a thief could register it for another account, and the change couldn't
 *    be undone.
 */
import type { ClientSession } from "mongodb";
import type { Audit, Origin } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { HOUR_MS } from "../../../base/durations.ts";
import { rateLimited, ServiceError } from "../../../contract/errors.ts";
import type { EmailTokenDoc, EmailTokens } from "../../../store/mongo/accounts/email-tokens.ts";
import type { UserDoc, Users } from "../../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import type { Mails } from "../../mail/mails.ts";
import { MAILS_TO_ADDRESS } from "../../mail/recipient-limit.ts";
import { mailOfLink, newLink } from "../tokens/email-links.ts";
import { hashToken } from "../tokens/refresh-tokens.ts";

type Deps = {
  mongo: Mongo;
  users: Users;
  tokens: EmailTokens;
  mails: Mails;
  audit: Audit;
  clock: Clock;
};

/** Writes what was prepared; may run several times, since transactions are retried. */
export type TransactionWrite = (session: ClientSession) => Promise<void>;

export type Addresses = ReturnType<typeof createAddresses>;

export function createAddresses({ mongo, users, tokens, mails, audit, clock }: Deps) {
  /** Issues a new link to verify the account's address, which replaces the previous link. */
  function verification({
    _id: userId,
    username,
    email,
  }: Pick<UserDoc, "_id" | "username" | "email">): TransactionWrite {
    const { token, doc } = newLink("verify", { userId, email }, clock.now());
    return async (session) => {
      await tokens.put(doc, session);
      const mail = { ...mailOfLink(doc), template: "verify_address", data: { username, token } } as const;
      await mails.request(mail, session);
    };
  }

  /** The same for an address that is to replace the account's. */
  function change(
    { _id: userId, username }: Pick<UserDoc, "_id" | "username">,
    email: string,
  ): TransactionWrite {
    const { token, doc } = newLink("change", { userId, email }, clock.now());
    return async (session) => {
      await tokens.put(doc, session);
      const mail = {
        ...mailOfLink(doc),
        template: "confirm_new_address",
        data: { username, token },
      } as const;
      await mails.request(mail, session);
    };
  }

  /** Mails to a wanted address are counted per requesting user: a stranger's requests don't use up the owner's quota. */
  async function requireMailQuota(of: Pick<UserDoc, "_id" | "email">, wanted?: string): Promise<void> {
    const isLeft =
      wanted === undefined
        ? mails.takeOne("verify_address", of.email)
        : mails.takeOne("confirm_new_address", wanted, of._id);
    if (await isLeft) return;
    throw rateLimited(MAILS_TO_ADDRESS, HOUR_MS);
  }

  async function markVerified({ userId, emailKey }: EmailTokenDoc, session: ClientSession): Promise<void> {
    const now = new Date(clock.now());
    const done = await users.update(
      userId,
      { $set: { emailVerifiedAt: now, updatedAt: now } },
      { session, expected: { emailKey } },
    );
    if (!done) throw new ServiceError("invalid_token");
  }

  async function replaceAddress(
    { userId, email, emailKey }: EmailTokenDoc,
    session: ClientSession,
  ): Promise<void> {
    const now = new Date(clock.now());
    const before = await users.find(userId, session);
    if (!before || before.status === "deleted") throw new ServiceError("invalid_token");
    if (await tokens.isKeptBack(emailKey, userId, now, session)) throw new ServiceError("email_taken");
    const set = { email, emailKey, emailVerifiedAt: now, updatedAt: now };
    await users.update(userId, { $set: set }, { session });
    // A reset link mailed to the old address must not work: that address may belong to somebody else by now.
    await tokens.remove(userId, ["verify", "reset"], session);
    // An address that wasn't verified may be a stranger's, who must not get the account by undoing the change.
    if (before.emailVerifiedAt) await notifyOldAddress(before, session);
  }

  async function notifyOldAddress(
    { _id: userId, username, email }: UserDoc,
    session: ClientSession,
  ): Promise<void> {
    const { token, doc } = newLink("undo", { userId, email }, clock.now());
    await tokens.put(doc, session);
    const mail = { ...mailOfLink(doc), template: "address_changed", data: { username, token } } as const;
    await mails.request(mail, session);
  }

  return {
    verification,

    /** Throws `rate_limited` when this user has had too many of these mails sent to that address. */
    async change(user: UserDoc, email: string): Promise<TransactionWrite> {
      await requireMailQuota(user, email);
      return change(user, email);
    },

    /** The address that replaces the account's once it is verified; null for none. */
    async pending(userId: string): Promise<string | null> {
      return (await tokens.pendingChange(userId, new Date(clock.now())))?.email ?? null;
    },

    /** Drops the pending change of address, if there is one. */
    drop:
      (userId: string): TransactionWrite =>
      (session) =>
        tokens.remove(userId, ["change"], session),

    /** Mails the pending link again: of a change, or of the account's own address. Does nothing when none is pending. */
    async resend(user: UserDoc): Promise<void> {
      const pending = await tokens.pendingChange(user._id, new Date(clock.now()));
      if (!pending && user.emailVerifiedAt) return;
      await requireMailQuota(user, pending?.email);
      const now = new Date(clock.now());
      const write = pending ? change(user, pending.email) : verification(user);
      await inTransaction(mongo.client, async (session) => {
        // Account recovery removes pending changes and conflicts with this transaction at that row, so none is put back.
        if (pending && !(await tokens.take(pending.hash, ["change"], now, session))) return;
        await write(session);
      });
    },

    /** Throws invalid_token, email_taken. */
    async verify(token: string, origin: Origin): Promise<void> {
      const hash = hashToken(token);
      const taken = await inTransaction(mongo.client, async (session) => {
        const found = await tokens.take(hash, ["verify", "change"], new Date(clock.now()), session);
        if (!found) throw new ServiceError("invalid_token");
        await (found.purpose === "verify" ? markVerified : replaceAddress)(found, session);
        return found;
      });
      const by = { userId: taken.userId, origin };
      audit(taken.purpose === "verify" ? "email.verified" : "email.changed", by, {});
    },
  };
}
