import DataLoader from "dataloader";
import type { ClientSession, Db } from "mongodb";
import { inOneReply } from "./bulk.ts";
import { defineCollection } from "./collection.ts";
import type { RoomStateChange } from "./room-state-change.ts";

/**
 * To a room; to a room as several events, each with data of its own (under another name: a worker of an older release
 * that knew only `room` would publish one without data); to one user, or to many users each with data of their own.
 */
type OutboxTarget =
  | { room: string }
  | { inRoom: string; events: Record<string, unknown>[] }
  | { user: string }
  | { users: { userId: string; data: Record<string, unknown> }[] };

/** An event to publish: written with its cause, published at least once after the commit, then deleted. */
export type OutboxDoc = {
  _id: string;
  /** Whose order this row keeps, e.g. "prediction:<id>" or "moderation:<stream>". */
  actor: string;
  /** Rises with each commit of that actor; `n` counts the events of one commit from 0, a row's own begin at its `n`. */
  version: number;
  n: number;
  target: OutboxTarget;
  type: string;
  data: Record<string, unknown>;
  /** What the room does to its own state together with the event; opaque here. */
  effects?: RoomStateChange[];
  createdAt: Date;
  /** Failures that were not a store's absence; at the bound the row is parked, so that it doesn't block others. */
  failures: number;
  parkedAt: Date | null;
};

/** The first unsent row of a source. */
export type OutboxHead = Pick<OutboxDoc, "actor" | "createdAt">;

/** Rows of one source that were set aside. */
export type ParkedRows = {
  source: string;
  rows: number;
  /** When the first of them was. */
  since: Date;
  /** Their types. */
  types: string[];
};

/** Rows of one actor that are read at once. */
export const UNSENT_PAGE = 100;

/** Rows among which the first ones of sources are looked for at once. */
const HEADS_PAGE = 200;

/** Parked rows that one listing looks at. */
const LOOKED_AT = 10_000;

const PUBLISHED = "it is removed when it is published, a moment after its cause";

export const outboxCollection = defineCollection<OutboxDoc>("outbox", {
  personal: {
    erase: {
      target: { keep: PUBLISHED },
      data: { keep: PUBLISHED },
      actor: { keep: PUBLISHED },
      effects: { keep: PUBLISHED },
    },
    exports: { nothing: "news of what is exported" },
  },

  indexes: [
    { key: { actor: 1, version: 1, n: 1 }, unique: true }, // unsentOf, headsAfter
    { key: { parkedAt: 1, createdAt: 1 } }, // parked; older workers look by it for rows that wait
  ],
});

const headOnly = { projection: { actor: 1, createdAt: 1, parkedAt: 1 } };
const isParked = { parkedAt: { $type: "date" as const } };

export function outboxIn(db: Db) {
  const outbox = outboxCollection.in(db);

  const unsentOfOne = (actor: string) =>
    outbox.find({ actor, parkedAt: null }).sort({ version: 1, n: 1 }).limit(UNSENT_PAGE).toArray();

  async function unsentOfMany(actors: readonly string[]): Promise<OutboxDoc[][]> {
    const page = { ...inOneReply(UNSENT_PAGE), limit: UNSENT_PAGE };
    const filter = { actor: { $in: [...actors] }, parkedAt: null };
    const rows = await outbox.find(filter, page).sort({ actor: 1, version: 1, n: 1 }).toArray();
    // A page that is full may have cut somebody off.
    if (rows.length === UNSENT_PAGE) return Promise.all(actors.map(unsentOfOne));
    const byActor = new Map(actors.map((actor): [string, OutboxDoc[]] => [actor, []]));
    for (const row of rows) byActor.get(row.actor)?.push(row);
    return actors.map((actor) => byActor.get(actor) ?? []);
  }
  const unsent = new DataLoader(unsentOfMany, { cache: false, maxBatchSize: 128 });
  return {
    async insert(rows: OutboxDoc[], session: ClientSession): Promise<void> {
      if (rows.length > 0) await outbox.insertMany(rows, { session });
    },
    /** Unsent rows of that actor in its order, at most 100; calls of one turn of the event loop share a read. */
    unsentOf: (actor: string) => unsent.load(actor),
    /**
     * The first unsent row of each source after that one by name ("" = of all), as far as a page of rows goes; `next` is
     * where to go on, null at the end. Going on from source to source comes past all, however many rows one has.
     */
    async headsAfter(source: string): Promise<{ heads: OutboxHead[]; next: string | null }> {
      const page = await outbox
        .find({ actor: { $gt: source } }, { ...headOnly, ...inOneReply(HEADS_PAGE) })
        .sort({ actor: 1, version: 1, n: 1 })
        .limit(HEADS_PAGE)
        .toArray();
      const heads = new Map<string, OutboxHead>();
      for (const { actor, createdAt, parkedAt } of page) {
        if (parkedAt === null && !heads.has(actor)) heads.set(actor, { actor, createdAt });
      }
      const last = page.length === HEADS_PAGE ? page.at(-1)?.actor : undefined;
      if (last === undefined) return { heads: [...heads.values()], next: null };
      // Of the one that the page cuts off the first rows may all have been set aside.
      const behind = heads.has(last)
        ? null
        : await outbox.findOne({ actor: last, parkedAt: null }, { ...headOnly, sort: { version: 1, n: 1 } });
      return { heads: [...heads.values(), ...(behind ? [behind] : [])], next: last };
    },
    remove: async (ids: string[]) => void (await outbox.deleteMany({ _id: { $in: ids } })),
    fail: async (id: string) => void (await outbox.updateOne({ _id: id }, { $inc: { failures: 1 } })),
    park: async (id: string, at: Date) =>
      void (await outbox.updateOne({ _id: id }, { $set: { parkedAt: at } })),

    /** Sources with rows that were set aside, at most `limit`, by name; of very many rows only the first are looked at. */
    parked: (limit: number) =>
      outbox
        .aggregate<ParkedRows>([
          { $match: isParked },
          { $sort: { parkedAt: 1 } },
          { $limit: LOOKED_AT },
          {
            $group: {
              _id: "$actor",
              rows: { $sum: 1 },
              since: { $min: "$parkedAt" },
              types: { $addToSet: "$type" },
            },
          },
          { $sort: { _id: 1 } },
          { $limit: limit },
          { $project: { _id: 0, source: "$_id", rows: 1, since: 1, types: 1 } },
        ])
        .toArray(),
    hasParked: async (actor: string) => (await outbox.findOne({ actor, ...isParked })) !== null,
    /** Puts those of a source back in line; returns how many there were. */
    async release(actor: string): Promise<number> {
      const fresh = { $set: { failures: 0, parkedAt: null } };
      return (await outbox.updateMany({ actor, ...isParked }, fresh)).modifiedCount;
    },
  };
}

export type OutboxRows = ReturnType<typeof outboxIn>;
