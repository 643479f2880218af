import type { Collection } from "mongodb";

/** What rows of mails and pushes share; each has one of the two contents. */
export type OutboxRow = {
  _id: string;
  state: string;
  createdAt: Date;
  dueAt: Date;
  sealed?: string | null;
  message?: object | null;
};

/** `kind`: a mail's template, a push's type. */
export type HeldRow = { _id: string; createdAt: Date; kind: string };

/**
 * Holds waiting rows of an outbox until an operator releases or drops them. Workers claim only rows that are waiting, so that those
 * of any release leave held ones alone. Each change returns its number of rows; `ids` null: all that are held.
 */
export function holdingIn(
  rows: Collection<OutboxRow>,
  { kind, dropped }: { kind: "$template" | "$message.type"; dropped: Pick<OutboxRow, "sealed" | "message"> },
) {
  const held = { state: "held" };
  const among = (ids: readonly string[] | null) =>
    ids === null ? held : { ...held, _id: { $in: [...ids] } };

  return {
    hold: async (): Promise<number> =>
      (await rows.updateMany({ state: "waiting" }, { $set: held })).modifiedCount,
    /** Oldest first. */
    held: (limit: number) =>
      rows.find(held).project<HeldRow>({ createdAt: 1, kind }).sort({ createdAt: 1 }).limit(limit).toArray(),
    countHeld: () => rows.countDocuments(held),
    release: async (ids: readonly string[] | null, dueAt: Date): Promise<number> =>
      (await rows.updateMany(among(ids), { $set: { state: "waiting", dueAt } })).modifiedCount,
    /** Their content is deleted. */
    drop: async (ids: readonly string[] | null): Promise<number> =>
      (await rows.updateMany(among(ids), { $set: { ...dropped, state: "dropped" } })).modifiedCount,
  };
}
