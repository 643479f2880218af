import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";

/** Pictures of an account, one per kind; or something that refers to its own file. */
export type FileKind = AccountPicture | "emote" | "badge" | "category";
export type AccountPicture = "avatar" | "banner";

/**
 * A file of the file store, `_id` being its name there. The row is written before the file and removed after it, so that
 * every file has a row.
 */
export type FileDoc = {
  _id: string;
  /** Null: the service's, or an erased account's. */
  userId: string | null;
  kind: FileKind;
  /** `pending`: being uploaded; `dropped`: not shown any more; `removing`: being removed. */
  state: "pending" | "used" | "dropped" | "removing";
  createdAt: Date;
  /** When it may be removed; null while it is used. */
  dueAt: Date | null;
};

export const filesCollection = defineCollection<FileDoc>("files", {
  indexes: [
    { key: { userId: 1, kind: 1 } }, // drop
    { key: { dueAt: 1 }, partialFilterExpression: { dueAt: { $type: "date" } } }, // due
  ],
  personal: {
    erase: { userId: "anonymise" },
    exports: [{ by: "userId", shows: ["_id", "kind", "createdAt"] }],
  },
});

export function filesIn(db: Db) {
  const files = filesCollection.in(db);
  return {
    begin: async (doc: FileDoc) => void (await files.insertOne(doc)),
    /** False when it has been removed as abandoned. Call it in the transaction that shows the file. */
    use: async (name: string, session: ClientSession) =>
      (
        await files.updateOne(
          { _id: name, state: { $in: ["pending", "used"] } },
          { $set: { state: "used", dueAt: null } },
          { session },
        )
      ).matchedCount === 1,
    /** Drops all of a user's files of a kind except `keep`. Call it in the transaction that stops showing them. */
    drop: async (
      userId: string,
      { kind, keep, dueAt }: { kind: AccountPicture; keep: string | null; dueAt: Date },
      session: ClientSession,
    ) =>
      void (await files.updateMany(
        { userId, kind, state: "used", ...(keep === null ? {} : { _id: { $ne: keep } }) },
        { $set: { state: "dropped", dueAt } },
        { session },
      )),
    /** Drops one file. Call it in the transaction that stops showing it. */
    dropOne: async (name: string, dueAt: Date, session: ClientSession) =>
      void (await files.updateOne(
        { _id: name, state: "used" },
        { $set: { state: "dropped", dueAt } },
        { session },
      )),
    /** Drops all of a user's files, due at once; uploads in progress can't be shown any more. */
    dropAll: async (userId: string, dueAt: Date, session?: ClientSession) =>
      void (await files.updateMany(
        { userId, state: { $ne: "removing" } },
        { $set: { state: "dropped", dueAt } },
        session ? { session } : {},
      )),
    /** Uploads that were never shown are removed no earlier than then. */
    keepPending: async (until: Date) =>
      void (await files.updateMany({ state: "pending" }, { $max: { dueAt: until } })),
    due: (now: Date, limit: number) =>
      files
        .find({ dueAt: { $type: "date", $lte: now } })
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray(),
    /** False when it is in use again. */
    beginRemoval: async ({ _id, dueAt }: FileDoc) =>
      (await files.updateOne({ _id, dueAt }, { $set: { state: "removing" } })).matchedCount === 1,
    removeLater: async (name: string, dueAt: Date) =>
      void (await files.updateOne({ _id: name, state: "removing" }, { $set: { dueAt } })),
    removed: async (name: string) => void (await files.deleteOne({ _id: name, state: "removing" })),
    /** Which of these names have a row. */
    known: async (names: string[]): Promise<Set<string>> =>
      new Set(
        (await files.find({ _id: { $in: names } }, { projection: { _id: 1 } }).toArray()).map(
          ({ _id }) => _id,
        ),
      ),
  };
}

export type Files = ReturnType<typeof filesIn>;
