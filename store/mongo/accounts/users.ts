import DataLoader from "dataloader";
import type { ClientSession, Db, Filter, UpdateFilter } from "mongodb";
import { MongoServerError } from "mongodb";
import { isDuplicateKey } from "../../../base/failures/mongo.ts";
import { keysOf } from "../../../base/search/keys.ts";
import { nameSkeleton } from "../../../base/texts/name-skeleton.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { batchedFinds } from "../driver/batched-finds.ts";
import { inOneReply } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";
import { type Searchable, type SearchSource, searchableBy, searchIndex } from "../driver/searchable.ts";
import { mediaChangesIn } from "../host/media-changes.ts";
import { PROFILE_FIELDS } from "./empty-profile.ts";

const socialNetworks = [
  "instagram",
  "twitter",
  "facebook",
  "discord",
  "tiktok",
  "youtube",
  "website",
] as const;

export type SocialLinksDoc = { [network in (typeof socialNetworks)[number]]?: string };

/** An account (User in docs/interface.md#2-resources). */
export type UserDoc = {
  _id: string;
  /** Lower-case; unique through the `usernames` collection and an index. */
  username: string;
  /** The same name in its owner's casing. */
  usernameTitle: string;
  /**
   * What the username looks like (`nameSkeleton`). Only that of a verified account keeps names from others. Absent in older accounts
   * until they are renamed or verified.
   */
  nameSkeleton?: string;
  /** Null until the first change. */
  usernameChangedAt: Date | null;
  email: string;
  /** Lower-case email address: the unique key. */
  emailKey: string;
  emailVerifiedAt: Date | null;
  /** Argon2id in PHC format; null for users who sign in only with another provider. */
  passwordHash: string | null;
  imageUrl: string | null;
  bannerUrl: string | null;
  bio: string | null;
  isVerified: boolean;
  isStaff: boolean;
  /** Since when signing in requires a second factor (`two_factors`); absent or null: it doesn't. */
  twoFactorEnabledAt?: Date | null;
  status: "active" | "banned" | "deleted";
  socialLinks: SocialLinksDoc;
  /** Empty when the channel has none. */
  seoTags: Record<string, unknown>;
  /** Rises with every ban and strike, and with their end; absent until the first. */
  standingVersion?: number;
  /** Rises with every link to a provider, and with its end; absent until the first. */
  linksVersion?: number;
  /** Rises with every passkey, and with its end; absent until the first. */
  passkeysVersion?: number;
  /** Set on a deleted account that isn't erased yet; absent otherwise. */
  deletion?: DeletionDoc;
  /** Rises with every personal API token that is created; absent until the first. */
  apiTokensVersion?: number;
  /** From the name and its followers; absent in older accounts until the nightly job has added it. */
  search?: Searchable;
  createdAt: Date;
  updatedAt: Date;
};

type DeletionDoc = {
  requestedAt: Date;
  /** Signing in before this undoes the deletion. */
  eraseAt: Date;
  /** Whether ongoing activities of the account, a broadcast or a subscription, have been ended. */
  isSettled: boolean;
  /** The pseudonym that replaces the account in data that stays; set when the erasure begins, which can't be undone. */
  erasedAs: string | null;
  /** When it is settled next or, after that, erased: `eraseAt` or, after failures, later. */
  dueAt: Date;
  /** Failures of settling or, after that, of erasing. */
  failures: number;
  /** It was banned since, and comes back as banned. */
  isBanned?: boolean;
};

/** The fields without secrets, for use within the service. Views decide what other users see of them. */
export type UserWithoutSecrets = Omit<
  UserDoc,
  "email" | "emailKey" | "emailVerifiedAt" | "passwordHash" | "deletion" | "search" | "nameSkeleton"
>;

type Standing = Pick<UserDoc, "_id" | "status">;

/** A name in use (`until` null) or reserved for its former owner. */
type UsernameDoc = { _id: string; userId: string; until: Date | null };

/** Only active users are found by a search. */
const FOUND = { text: "username", only: { status: "active" } } as const;

export const usersCollection = defineCollection<UserDoc>("users", {
  personal: {
    erase: {
      _id: { keep: "the account itself goes last, when nothing else is left" },
      username: { with: "_id" },
      usernameTitle: { with: "_id" },
      nameSkeleton: { with: "_id" },
      email: { with: "_id" },
      emailKey: { with: "_id" },
      imageUrl: { with: "_id" },
      bannerUrl: { with: "_id" },
    },
    exports: [
      {
        as: "account",
        by: "_id",
        shows: [
          "_id",
          "username",
          "usernameTitle",
          "email",
          "emailVerifiedAt",
          ...PROFILE_FIELDS,
          "isVerified",
          "createdAt",
          "updatedAt",
        ],
      },
    ],
  },

  indexes: [
    { key: { username: 1 }, unique: true },
    { key: { emailKey: 1 }, unique: true },
    // claimName, isNameTaken
    { key: { nameSkeleton: 1 }, partialFilterExpression: { isVerified: true } },
    // staffIds, hasStaff
    { key: { isStaff: 1 }, partialFilterExpression: { isStaff: true } },
    { key: { status: 1, username: 1 } }, // page of a status
    searchIndex(FOUND),
    // dueDeletions
    {
      key: { "deletion.isSettled": 1, "deletion.dueAt": 1 },
      partialFilterExpression: { "deletion.dueAt": { $type: "date" } },
    },
    // renamedSince
    { key: { usernameChangedAt: 1 }, partialFilterExpression: { usernameChangedAt: { $gt: new Date(0) } } },
  ],
});

export const usernamesCollection = defineCollection<UsernameDoc>("usernames", {
  personal: {
    erase: {
      _id: { keep: "the name is reserved for half a year, so that nobody else passes for its former owner" },
      userId: "anonymise",
    },
    exports: [{ by: "userId", shows: ["_id", "until"] }],
  },

  // An expired reservation is removed.
  indexes: [{ key: { userId: 1 } }, { key: { until: 1 }, expireAfterSeconds: 0 }],
});

const MAX_BATCH = 128;

const withoutSecrets = {
  email: 0,
  emailKey: 0,
  emailVerifiedAt: 0,
  passwordHash: 0,
  deletion: 0,
  search: 0,
  nameSkeleton: 0,
} as const;

export const USERS: SearchSource = { collection: usersCollection, ...FOUND };

/** Converts a violation of a unique index into the error code for clients. */
function taken(err: unknown): unknown {
  if (!isDuplicateKey(err) || !(err instanceof MongoServerError)) return err;
  const emailTaken = Object.hasOwn(Object(err.keyPattern), "emailKey");
  return new ServiceError(emailTaken ? "email_taken" : "username_taken", undefined, { cause: err });
}

/** A new name also replaces what is derived from it. */
function withDerived(change: UpdateFilter<UserDoc>): UpdateFilter<UserDoc> {
  const username: unknown = change.$set?.username;
  if (typeof username !== "string") return change;
  const derived = { "search.keys": keysOf(username, "name"), nameSkeleton: nameSkeleton(username) };
  return { ...change, $set: { ...change.$set, ...derived } };
}

/** A change that leaves the status as it is: see updateWithStatus. */
type UserChange = UpdateFilter<UserDoc> & { $set?: { status?: never } };

/** Users who can act as staff, which requires a second factor. */
const ABLE_STAFF = { isStaff: true, twoFactorEnabledAt: { $type: "date" } } as const;

export function usersIn(db: Db) {
  const users = usersCollection.in(db);
  const batchedFind = batchedFinds(db);
  const usernames = usernamesCollection.in(db);
  const mediaChanges = mediaChangesIn(db);
  const visible = () => usersCollection.in<UserWithoutSecrets>(db);
  const loader = new DataLoader<string, UserWithoutSecrets | null>(
    async (ids) => {
      const found = await visible()
        .find({ _id: { $in: [...ids] } }, { projection: withoutSecrets })
        .toArray();
      const byId = new Map(found.map((user) => [user._id, user]));
      return ids.map((id) => byId.get(id) ?? null);
    },
    { cache: false, maxBatchSize: MAX_BATCH },
  );
  /** Half of all requests ask for one: those that come in one turn of I/O are one command. */
  const standings = new DataLoader<string, Standing | null>(
    async (ids) => {
      const how = { projection: { status: 1 as const }, ...inOneReply(ids.length) };
      const found = await usersCollection
        .in<Standing>(db)
        .find({ _id: { $in: [...ids] } }, how)
        .toArray();
      const byId = new Map(found.map((user) => [user._id, user]));
      return ids.map((id) => byId.get(id) ?? null);
    },
    { cache: false, maxBatchSize: MAX_BATCH, batchScheduleFn: (send) => void setImmediate(send) },
  );

  async function update(
    userId: string,
    change: UpdateFilter<UserDoc>,
    options: { session?: ClientSession; expected?: Filter<UserDoc> },
  ): Promise<UserDoc | null> {
    try {
      return await users.findOneAndUpdate({ ...options.expected, _id: userId }, withDerived(change), {
        returnDocument: "after",
        ...(options.session ? { session: options.session } : {}),
      });
    } catch (err) {
      throw taken(err);
    }
  }

  return {
    /** Throws `email_taken` or `username_taken`. */
    async insert(doc: UserDoc, session: ClientSession): Promise<void> {
      try {
        const { username } = doc;
        const derived = { nameSkeleton: nameSkeleton(username), search: searchableBy(username, "name", 0) };
        await users.insertOne({ ...doc, ...derived }, { session });
      } catch (err) {
        throw taken(err);
      }
    },

    /** The complete account, for its owner and for signing in. */
    find: (userId: string, session?: ClientSession) =>
      users.findOne({ _id: userId }, session ? { session } : {}),
    findByUsername: (username: string) => users.findOne({ username }),
    findByEmail: (emailKey: string) => users.findOne({ emailKey }),

    findPublic: (userId: string) => visible().findOne({ _id: userId }, { projection: withoutSecrets }),
    findPublicByUsername: (username: string) =>
      visible().findOne({ username }, { projection: withoutSecrets }),
    /** By id; ids without an account are left out. */
    async statuses(userIds: string[]): Promise<Map<string, UserDoc["status"]>> {
      const found = await users
        .find({ _id: { $in: userIds } }, inOneReply(userIds.length))
        .project<Pick<UserDoc, "_id" | "status">>({ status: 1 })
        .toArray();
      return new Map(found.map(({ _id, status }) => [_id, status]));
    },
    /** In no particular order; ids without an account are left out. */
    findManyPublic: (userIds: string[]) =>
      visible()
        .find({ _id: { $in: userIds } }, { projection: withoutSecrets, ...inOneReply(userIds.length) })
        .toArray(),

    /** Addresses for mail to active accounts: only verified addresses. */
    mailboxesOf: (userIds: string[]) =>
      users
        .find(
          { _id: { $in: userIds }, status: "active", emailVerifiedAt: { $ne: null } },
          inOneReply(userIds.length),
        )
        .project<Pick<UserDoc, "_id" | "username" | "email">>({ username: 1, email: 1 })
        .toArray(),

    /** The same, including banned accounts. */
    mailboxesOfAny: (userIds: string[]) =>
      users
        .find(
          { _id: { $in: userIds }, status: { $in: ["active", "banned"] }, emailVerifiedAt: { $ne: null } },
          inOneReply(userIds.length),
        )
        .project<Pick<UserDoc, "_id" | "username" | "email">>({ username: 1, email: 1 })
        .toArray(),

    /** Names in lower case; unknown ones are left out. */
    idsByUsernames: (usernames: string[]) =>
      users
        .find({ username: { $in: usernames }, status: { $ne: "deleted" } }, inOneReply(usernames.length))
        .project<Pick<UserDoc, "_id" | "username">>({ username: 1 })
        .toArray(),

    /** Facts that chat needs about authors; only of those who have a verified address or can act as staff. */
    async authorFacts(
      userIds: readonly string[],
    ): Promise<ReadonlyMap<string, { isEmailVerified: boolean; isStaff: boolean }>> {
      const found = await users
        .find(
          { _id: { $in: [...userIds] }, $or: [{ emailVerifiedAt: { $type: "date" } }, ABLE_STAFF] },
          {
            projection: { emailVerifiedAt: 1, isStaff: 1, twoFactorEnabledAt: 1 },
            ...inOneReply(userIds.length),
          },
        )
        .toArray();
      return new Map(
        found.map(({ _id, emailVerifiedAt, isStaff, twoFactorEnabledAt }) => [
          _id,
          { isEmailVerified: emailVerifiedAt !== null, isStaff: isStaff && Boolean(twoFactorEnabledAt) },
        ]),
      );
    },

    /** Loads one user; loads in one turn of the event loop are batched. */
    loadWithoutSecrets: (userId: string) => loader.load(userId),
    /** Whether the account is active; null when there is none. Not to be used in a transaction. */
    loadStanding: (userId: string) => standings.load(userId),

    /** Deleted accounts that are due to be settled or, with `isSettled`, erased; longest due first. */
    dueDeletions: (isSettled: boolean, now: Date, limit: number) =>
      batchedFind(
        users,
        { "deletion.isSettled": isSettled, "deletion.dueAt": { $type: "date", $lte: now } },
        { sort: { "deletion.dueAt": 1 }, limit },
      ),
    /** The account's current name and its reserved former ones. */
    namesOf: async (userId: string) => (await usernames.find({ userId }).toArray()).map(({ _id }) => _id),
    /** Removes the account itself, as the last step of an erasure. */
    remove: async (userId: string, session: ClientSession) =>
      void (await users.deleteOne({ _id: userId }, { session })),
    /** Reserves all names of an account until then, for `holder`. */
    reserveNames: async (userId: string, holder: string, until: Date, session: ClientSession) =>
      void (await usernames.updateMany({ userId }, { $set: { userId: holder, until } }, { session })),

    /** Users who can act as staff, which requires a second factor. */
    async staffIds(limit: number): Promise<string[]> {
      const found = await batchedFind(users, ABLE_STAFF, { limit, projection: { _id: 1 } });
      return found.map(({ _id }) => _id);
    },

    /** Whether an account was made staff, and wasn't deleted. */
    hasStaff: async (): Promise<boolean> =>
      (await users.findOne({ isStaff: true, status: "active" }, { projection: { _id: 1 } })) !== null,

    /** The latest renamed users, at most `limit`. */
    async renamedSince(since: Date, limit: number): Promise<{ userId: string; username: string }[]> {
      const found = await batchedFind(
        users,
        { usernameChangedAt: { $gte: since } },
        { sort: { usernameChangedAt: -1 }, limit, projection: { username: 1 } },
      );
      return found.map(({ _id, username }) => ({ userId: _id, username }));
    },

    /** At most `limit`, by name. */
    idsByPrefix: async (prefix: string, limit: number): Promise<string[]> => {
      const found = users
        .find({ username: { $gte: prefix, $lt: `${prefix}\uffff` } }, inOneReply(limit))
        .sort({ username: 1 })
        .limit(limit)
        .project<Pick<UserDoc, "_id">>({ _id: 1 });
      return (await found.toArray()).map(({ _id }) => _id);
    },

    /** Ordered by name. `q` is a prefix of a name, or a complete email address or id. */
    page({ q, status }: { q: string | null; status: UserDoc["status"] | null }, range: Range) {
      const known = q?.toLowerCase() ?? "";
      const prefix = { username: { $gte: known, $lt: `${known}\uffff` } };
      const sought = q === null ? {} : { $or: [{ emailKey: known }, { _id: known }, prefix] };
      const ofStatus = status === null ? {} : { status };
      return pageIn(users, { ...ofStatus, ...sought }, { username: 1 }, range);
    },

    /** Null when there is no such account. In a transaction, since an older account gets its skeleton. */
    async setVerified(userId: string, isVerified: boolean, now: Date, session: ClientSession) {
      const user = await users.findOne({ _id: userId }, { session });
      if (!user) return null;
      const change = { isVerified, nameSkeleton: nameSkeleton(user.username), updatedAt: now };
      return users.findOneAndUpdate({ _id: userId }, { $set: change }, { returnDocument: "after", session });
    },

    /** Changes one account, apart from its status; null when none matches. Throws `email_taken`. */
    update: (
      userId: string,
      change: UserChange,
      options: { session?: ClientSession; expected?: Filter<UserDoc> } = {},
    ) => update(userId, change, options),

    /** The same with its status, on which it depends whether its clips and videos are shown: the media service is notified. */
    async updateWithStatus(
      userId: string,
      change: UpdateFilter<UserDoc>,
      options: { session: ClientSession; expected: Filter<UserDoc>; at: Date },
    ): Promise<UserDoc | null> {
      const { session, expected, at } = options;
      const user = await update(userId, change, { session, expected });
      if (user) await mediaChanges.add({ kind: "account", id: userId }, { at }, session);
      return user;
    },

    /**
     * Takes a name for a user, including one whose reservation has expired or is the user's own.
     * Throws `username_taken`, also for a name that looks like that of another verified account. Call it in the transaction that
     * writes the account.
     */
    async claimName(username: string, userId: string, now: Date, session: ClientSession): Promise<void> {
      const alike = { nameSkeleton: nameSkeleton(username), isVerified: true, _id: { $ne: userId } };
      if (await users.findOne(alike, { session, projection: { _id: 1 } }))
        throw new ServiceError("username_taken");
      await usernames.deleteOne(
        { _id: username, until: { $ne: null }, $or: [{ until: { $lte: now } }, { userId }] },
        { session },
      );
      try {
        await usernames.insertOne({ _id: username, userId, until: null }, { session });
      } catch (err) {
        throw taken(err);
      }
    },

    /** Whether `claimName` would refuse the name to a new account right now. */
    async isNameTaken(username: string, now: Date): Promise<boolean> {
      const inUse = { _id: username, $or: [{ until: null }, { until: { $gt: now } }] };
      const alike = { nameSkeleton: nameSkeleton(username), isVerified: true };
      const found = await Promise.all([
        usernames.findOne(inUse, { projection: { _id: 1 } }),
        users.findOne(alike, { projection: { _id: 1 } }),
      ]);
      return found.some((one) => one !== null);
    },

    /** Releases a name, but reserves it for its former owner until then. */
    reserveName: async (username: string, userId: string, until: Date, session: ClientSession) =>
      void (await usernames.updateOne({ _id: username, userId }, { $set: { until } }, { session })),
  };
}

export type Users = ReturnType<typeof usersIn>;
