/**
 * The address of an account:
 * 1. It is proven by the link in a mail to it. Until then it is where verification and resets go, and no other mail.
 * 2. Another one takes its place when that one was proven, not before; who asks shows the password.
 * 3. The one before, had it been proven, is told, with a link that undoes the change for seven days. For as long nobody else gets
 *    that address: else who stole an account could make another one of its address, and there would be no way back.
 */
import type { ClientSession } from "mongodb";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Audit, Origin } from "../../store/audit.ts";
import type { Clock } from "../../store/clock.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import type { EmailTokenDoc, EmailTokens } from "../../store/mongo/email-tokens.ts";
import { inTransaction } from "../../store/mongo/transaction.ts";
import type { UserDoc, Users } from "../../store/mongo/users.ts";
import type { Mails } from "../mail/mails.ts";
import { mailOfLink, newLink } from "./email-links.ts";
import { hashToken } from "./refresh-tokens.ts";

type Deps = {
  mongo: Mongo;
  users: Users;
  tokens: EmailTokens;
  mails: Mails;
  audit: Audit;
  clock: Clock;
};

/** Writes what was prepared; may run several times. */
export type WriteIn = (session: ClientSession) => Promise<void>;

export type Addresses = ReturnType<typeof createAddresses>;

export function createAddresses({ mongo, users, tokens, mails, audit, clock }: Deps) {
  /** A new link to verify the account's address; the one before is of no use any more. */
  function verification({
    _id: userId,
    username,
    email,
  }: Pick<UserDoc, "_id" | "username" | "email">): WriteIn {
    const { token, doc } = newLink("verify", { userId, email }, clock.now());
    return async (session) => {
      await tokens.put(doc, session);
      const mail = { ...mailOfLink(doc), template: "verify_address", data: { username, token } } as const;
      await mails.request(mail, session);
    };
  }

  /** The same for an address that is to take the place of the account's. */
  function change({ _id: userId, username }: Pick<UserDoc, "_id" | "username">, email: string): WriteIn {
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

  /** An address that somebody wants is counted by who wants it: a stranger's wishes don't use up its owner's. */
  async function requireLeft(of: Pick<UserDoc, "_id" | "email">, wanted?: string): Promise<void> {
    const isLeft =
      wanted === undefined
        ? mails.takeOne("verify_address", of.email)
        : mails.takeOne("confirm_new_address", wanted, of._id);
    if (await isLeft) return;
    throw new ServiceError("rate_limited", { bucket: "mails_to_address", retry_after_ms: 3_600_000 });
  }

  async function proven({ userId, emailKey }: EmailTokenDoc, session: ClientSession): Promise<void> {
    const now = new Date(clock.now());
    const done = await users.update(
      userId,
      { $set: { emailVerifiedAt: now, updatedAt: now } },
      { session, expected: { emailKey } },
    );
    if (!done) throw new ServiceError("invalid_token");
  }

  async function replaced({ userId, email, emailKey }: EmailTokenDoc, session: ClientSession): Promise<void> {
    const now = new Date(clock.now());
    const before = await users.find(userId, session);
    if (!before || before.status === "deleted") throw new ServiceError("invalid_token");
    if (await tokens.isKeptBack(emailKey, userId, now, session)) throw new ServiceError("email_taken");
    const set = { email, emailKey, emailVerifiedAt: now, updatedAt: now };
    await users.update(userId, { $set: set }, { session });
    // A reset that was mailed to the old address would be good for its owner, who may be another by now.
    await tokens.remove(userId, ["verify", "reset"], session);
    // An address that wasn't proven may be a stranger's, who must not get the account by undoing.
    if (before.emailVerifiedAt) await tellOld(before, session);
  }

  async function tellOld({ _id: userId, username, email }: UserDoc, session: ClientSession): Promise<void> {
    const { token, doc } = newLink("undo", { userId, email }, clock.now());
    await tokens.put(doc, session);
    const mail = { ...mailOfLink(doc), template: "address_changed", data: { username, token } } as const;
    await mails.request(mail, session);
  }

  return {
    verification,

    /** Throws `rate_limited` when that address had enough of these mails. */
    async change(user: UserDoc, email: string): Promise<WriteIn> {
      await requireLeft(user, email);
      return change(user, email);
    },

    /** Mails the link once more that is waited for: of a change, or of the account's own address; nothing when there is none. */
    async resend(user: UserDoc): Promise<void> {
      const pending = await tokens.pendingChange(user._id, new Date(clock.now()));
      if (!pending && user.emailVerifiedAt) return;
      await requireLeft(user, pending?.email);
      const now = new Date(clock.now());
      const write = pending ? change(user, pending.email) : verification(user);
      await inTransaction(mongo.client, async (session) => {
        // What gives the account back to its owner removes changes that wait, and meets this one at its row: none is put back.
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
        await (found.purpose === "verify" ? proven : replaced)(found, session);
        return found;
      });
      const by = { userId: taken.userId, origin };
      audit(taken.purpose === "verify" ? "email.verified" : "email.changed", by, {});
    },
  };
}
