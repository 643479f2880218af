import type { ClientSession } from "mongodb";
import type { Audit } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { invalid, ServiceError } from "../../../contract/errors.ts";
import type { EMPTY_PROFILE } from "../../../store/mongo/accounts/empty-profile.ts";
import type { UserDoc, Users } from "../../../store/mongo/accounts/users.ts";
import type { AccountPicture, Files } from "../../../store/mongo/channels/files.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import type { LoginThrottle } from "../passwords/login-throttle.ts";
import type { AccountSessions } from "../sessions/account-sessions.ts";
import type { Owner, RequirePassword } from "../two-factor/reauthentication.ts";
import type { Addresses, TransactionWrite } from "./email-addresses.ts";
import { requireUsable } from "./social-links.ts";
import {
  checkUsernameTitle,
  USERNAME_CHANGE_MS,
  USERNAME_RESERVATION_MS,
  usernameFrom,
} from "./usernames.ts";

/** What owners fill in by `updateMe`; tags for search engines have an operation of their own. */
type ProfileFields = Pick<UserDoc, Exclude<keyof typeof EMPTY_PROFILE, "seoTags">>;

/** Absent fields stay unchanged; null clears fields that may be empty. */
export type ProfileChange = Partial<ProfileFields> & {
  username?: string;
  usernameTitle?: string;
  email?: string;
  /** Proves a change of e-mail. */
  password?: string;
};

type Deps = {
  mongo: Mongo;
  users: Users;
  files: Pick<Files, "drop">;
  requirePassword: RequirePassword;
  requireSession: AccountSessions["requireActive"];
  throttle: LoginThrottle;
  addresses: Addresses;
  audit: Audit;
  clock: Clock;
};

/** `isNew`: the address isn't the account's own. `begin`: what is written; null for nothing. */
type AddressChange = { isNew: boolean; begin: TransactionWrite | null };

type Names = Pick<UserDoc, "username" | "usernameTitle" | "usernameChangedAt">;

/** Changes of an account by its owner, with all rules that the schema can't express. */
export function createProfileChanges(deps: Deps) {
  const { mongo, users, files, requirePassword, requireSession, throttle, addresses, audit, clock } = deps;

  /** The names after the change; a change of case only is always allowed, also of a name that was reserved later. */
  function namesAfter(user: UserDoc, change: ProfileChange): Names {
    const wanted = change.username ?? user.username;
    const isNew = wanted.toLowerCase() !== user.username;
    const username = isNew ? usernameFrom(wanted) : user.username;
    const usernameTitle = change.usernameTitle ?? change.username ?? user.usernameTitle;
    checkUsernameTitle(usernameTitle, username);
    if (!isNew) {
      return { username, usernameTitle, usernameChangedAt: user.usernameChangedAt };
    }
    const changeableAt = (user.usernameChangedAt?.getTime() ?? Number.NEGATIVE_INFINITY) + USERNAME_CHANGE_MS;
    if (changeableAt > clock.now()) {
      throw new ServiceError("username_locked", { changeable_at: new Date(changeableAt).toISOString() });
    }
    return { username, usernameTitle, usernameChangedAt: new Date(clock.now()) };
  }

  /**
   * Prepares a change of address, which requires the password. It takes effect once the new address is verified; the account's own address
   * drops it.
   */
  async function addressChange(owner: Owner, change: ProfileChange): Promise<AddressChange> {
    if (change.email === undefined) return { isNew: false, begin: null };
    const { password } = change;
    if (password === undefined) {
      throw invalid({
        path: "/body/password",
        rule: "required",
        message: "is needed to change the email address",
      });
    }
    await requirePassword(owner, password, "email");
    const isNew = change.email !== owner.user.email;
    if (isNew) await throttle.takeChange("email_changes", owner.user._id);
    const write = isNew ? await addresses.change(owner.user, change.email) : addresses.drop(owner.user._id);
    const begin: TransactionWrite = async (session) => {
      await requireStillProven(owner, session);
      await write(session);
    };
    return { isNew, begin };
  }

  /** Fails if a reset or an undone change of address came since the password check; this transaction also writes the account. */
  async function requireStillProven({ user, caller }: Owner, session: ClientSession): Promise<void> {
    await requireSession(caller.sessionId, session);
    const now = await users.find(user._id, session);
    const isSame = now?.passwordHash === user.passwordHash && now.emailKey === user.emailKey;
    if (!isSame) throw new ServiceError("invalid_credentials");
  }

  function noteChanges({ user: before, origin }: Owner, after: UserDoc, isAddressChanging: boolean): void {
    const by = { userId: before._id, origin };
    if (after.username !== before.username) {
      audit("username.changed", by, { from: before.username, to: after.username });
    }
    if (isAddressChanging) audit("email.change_requested", by, {});
  }

  /** All fields but those with rules of their own are written as they come. */
  function profileFieldsIn(change: ProfileChange): Partial<ProfileFields> {
    const { username, usernameTitle, email, password, ...fields } = change;
    if (fields.socialLinks !== undefined) requireUsable(fields.socialLinks);
    return fields;
  }

  async function write(
    user: UserDoc,
    names: Names,
    rest: Omit<Partial<UserDoc>, "status">,
    beginChange: TransactionWrite | null,
  ): Promise<UserDoc> {
    const now = new Date(clock.now());
    const change = { $set: { ...rest, ...names, updatedAt: now } };
    // Optimistic lock: the second of two concurrent changes of the name is refused, since the name has just been changed.
    const expected = { username: user.username, usernameChangedAt: user.usernameChangedAt };
    const after = await inTransaction(mongo.client, async (session) => {
      if (names.username !== user.username) {
        await users.claimName(names.username, user._id, now, session);
        const until = new Date(now.getTime() + USERNAME_RESERVATION_MS);
        await users.reserveName(user.username, user._id, until, session);
      }
      const written = await users.update(user._id, change, { session, expected });
      // Thrown inside the transaction, so that the claim is rolled back.
      if (!written) throw new ServiceError("username_locked");
      for (const kind of replacedPictures(user, rest))
        await files.drop(user._id, { kind, keep: null, dueAt: now }, session);
      await beginChange?.(session);
      return written;
    });
    return after;
  }

  return {
    /** Throws username_taken, username_locked, invalid_credentials, rate_limited, validation_failed. */
    async apply(owner: Owner, change: ProfileChange): Promise<UserDoc> {
      const names = namesAfter(owner.user, change);
      const fields = profileFieldsIn(change);
      const { isNew, begin } = await addressChange(owner, change);
      const after = await write(owner.user, names, fields, begin);
      noteChanges(owner, after, isNew);
      return after;
    },
  };
}

/** Our own pictures that are replaced by an external URL, or by none. */
function replacedPictures(user: UserDoc, { imageUrl, bannerUrl }: Partial<UserDoc>): AccountPicture[] {
  const isReplaced = (after: string | null | undefined, before: string | null) =>
    after !== undefined && after !== before;
  return [
    ...(isReplaced(imageUrl, user.imageUrl) ? (["avatar"] as const) : []),
    ...(isReplaced(bannerUrl, user.bannerUrl) ? (["banner"] as const) : []),
  ];
}
