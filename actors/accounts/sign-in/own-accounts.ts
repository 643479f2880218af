import type { Clock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { EmailTokens } from "../../../store/mongo/accounts/email-tokens.ts";
import { EMPTY_PROFILE } from "../../../store/mongo/accounts/empty-profile.ts";
import type { UserDoc, Users } from "../../../store/mongo/accounts/users.ts";
import { newStreamDoc, type StreamDoc, type Streams } from "../../../store/mongo/channels/streams.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { Counters } from "../../../store/mongo/driver/counters.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { type Sealing, streamKeyContext } from "../../keys/sealing.ts";
import type { Passwords } from "../passwords/passwords.ts";
import type { TransactionWrite } from "../profile/email-addresses.ts";
import { usernameFrom } from "../profile/usernames.ts";
import { newStreamKey, streamKeyHash } from "../tokens/stream-keys.ts";
import type { SignUp } from "./sign-up.ts";

type Deps = {
  mongo: Mongo;
  users: Users;
  streams: Streams;
  counters: Counters;
  emailTokens: EmailTokens;
  passwords: Passwords;
  sealing: Sealing;
  signUp: Pick<SignUp, "admit">;
  clock: Clock;
};

/** `invitation`: the code that was typed. */
type Wanted = { username: string; email: string; invitation?: string | undefined };
type NewAccount = Wanted & { password: string };
/** An account of a user whose identity a provider has confirmed, and perhaps the address as well. */
type ProvenAccount = Wanted & { isEmailVerified: boolean };
export type Made = { user: UserDoc; invitationId: string | null };

export function createOwnAccounts({
  mongo,
  users,
  streams,
  counters,
  emailTokens,
  passwords,
  sealing,
  signUp,
  clock,
}: Deps) {
  function streamOf(user: UserDoc, roomId: number): StreamDoc {
    const streamId = newId();
    const key = newStreamKey();
    const own = {
      _id: streamId,
      userId: user._id,
      roomId,
      name: user.usernameTitle,
      streamKeyHash: streamKeyHash(key),
      streamKeySealed: sealing.seal(key, streamKeyContext(streamId)),
    };
    return newStreamDoc(own, user.createdAt);
  }

  type Proofs = Pick<UserDoc, "email" | "emailVerifiedAt" | "passwordHash">;

  async function insert(
    title: string,
    { email, ...proofs }: Proofs,
    { take, invitationId }: Awaited<ReturnType<SignUp["admit"]>>,
    alsoWrite: (user: UserDoc) => TransactionWrite,
  ): Promise<Made> {
    const username = usernameFrom(title);
    const now = new Date(clock.now());
    const user: UserDoc = {
      _id: newId(),
      username,
      usernameTitle: title,
      usernameChangedAt: null,
      email,
      emailKey: email.toLowerCase(),
      ...proofs,
      ...EMPTY_PROFILE,
      isVerified: false,
      isStaff: false,
      status: "active",
      createdAt: now,
      updatedAt: now,
    };
    const stream = streamOf(user, await counters.take("rooms"));
    const write = alsoWrite(user);
    await inTransaction(mongo.client, async (session) => {
      if (await emailTokens.isKeptBack(user.emailKey, user._id, now, session))
        throw new ServiceError("email_taken");
      await take(user, session);
      await users.claimName(username, user._id, now, session);
      await users.insert(user, session);
      await streams.insert(stream, session);
      await write(session);
    });
    return { user, invitationId };
  }

  return {
    /**
     * Creates account and stream in one transaction, with `alsoWrite`, in which the invitation is used. Throws username_taken,
     * email_taken, validation_failed, and like `SignUp.admit`.
     */
    async create(
      { username: title, email, password, invitation }: NewAccount,
      alsoWrite: (user: UserDoc) => TransactionWrite,
    ): Promise<Made> {
      const admission = await signUp.admit(invitation ?? null);
      await passwords.requireStrong(password, { username: usernameFrom(title), email });
      const passwordHash = await passwords.hash(password);
      return insert(title, { email, emailVerifiedAt: null, passwordHash }, admission, alsoWrite);
    },

    /** The same for a user who signs in by a provider; `alsoWrite` stores the link to the provider. */
    async createProven(
      { username, email, isEmailVerified, invitation }: ProvenAccount,
      alsoWrite: (user: UserDoc) => TransactionWrite,
    ): Promise<Made> {
      const admission = await signUp.admit(invitation ?? null);
      const emailVerifiedAt = isEmailVerified ? new Date(clock.now()) : null;
      return insert(username, { email, emailVerifiedAt, passwordHash: null }, admission, alsoWrite);
    },

    /** The account for a typed login: a username or an e-mail address, in lower case. */
    findByLogin: (typed: string): Promise<UserDoc | null> =>
      typed.includes("@") ? users.findByEmail(typed) : users.findByUsername(typed),

    /** Throws `invalid_token` when the caller's account is deleted or gone. */
    async requireOwn(userId: string): Promise<UserDoc> {
      const user = await users.find(userId);
      if (!user || user.status === "deleted") throw new ServiceError("invalid_token");
      return user;
    },
  };
}

export type OwnAccounts = ReturnType<typeof createOwnAccounts>;
