import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "./collection.ts";

/** Of an account, of which it has one; or of something else, which names its own. */
export type FileKind = AccountPicture | "emote" | "badge" | "category";
export type AccountPicture = "avatar" | "banner";

/**
 * A file of the file store, `_id` being its name there. The row is written before the file and removed after it, so that no
 * file is without one.
 */
export type FileDoc = {
  _id: string;
  /** Null: of the service, or of an account that was erased. */
  userId: string | null;
  kind: FileKind;
  /** `pending`: being put there; `dropped`: shown nowhere any more; `removing`: being removed. */
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
    /** False when it was taken for abandoned meanwhile. In the transaction that shows it. */
    use: async (name: string, session: ClientSession) =>
      (
        await files.updateOne(
          { _id: name, state: { $in: ["pending", "used"] } },
          { $set: { state: "used", dueAt: null } },
          { session },
        )
      ).matchedCount === 1,
    /** All that a user has of a kind but `keep`. In the transaction that shows them no more. */
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
    /** One by its name. In the transaction that shows it no more. */
    dropOne: async (name: string, dueAt: Date, session: ClientSession) =>
      void (await files.updateOne(
        { _id: name, state: "used" },
        { $set: { state: "dropped", dueAt } },
        { session },
      )),
    /** Everything of a user, to be removed at once; what is on its way can't be shown any more. */
    dropAll: async (userId: string, dueAt: Date, session?: ClientSession) =>
      void (await files.updateMany(
        { userId, state: { $ne: "removing" } },
        { $set: { state: "dropped", dueAt } },
        session ? { session } : {},
      )),
    due: (now: Date, limit: number) =>
      files
        .find({ dueAt: { $type: "date", $lte: now } })
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray(),
    /** False when it is wanted again. */
    beginRemoval: async ({ _id, dueAt }: FileDoc) =>
      (await files.updateOne({ _id, dueAt }, { $set: { state: "removing" } })).matchedCount === 1,
    removeLater: async (name: string, dueAt: Date) =>
      void (await files.updateOne({ _id: name, state: "removing" }, { $set: { dueAt } })),
    removed: async (name: string) => void (await files.deleteOne({ _id: name, state: "removing" })),
    /** Of these names those that have a row. */
    known: async (names: string[]): Promise<Set<string>> =>
      new Set(
        (await files.find({ _id: { $in: names } }, { projection: { _id: 1 } }).toArray()).map(
          ({ _id }) => _id,
        ),
      ),
  };
}

export type Files = ReturnType<typeof filesIn>;
