import DataLoader from "dataloader";
import type { ClientSession, Db } from "mongodb";
import { batchedFinds } from "../driver/batched-finds.ts";
import { inOneReply } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import type { RoomEffects } from "./room-state-change.ts";

/**
 * The destination: a room; a room as several events, each with its own data (under another name: a worker of an older release
 * that knows only `room` would publish one without data); one user; or many users, each with their own data.
 */
type OutboxTarget =
  | { room: string }
  | { inRoom: string; events: Record<string, unknown>[] }
  | { user: string }
  | { users: { userId: string; data: Record<string, unknown> }[] };

/** An event to publish: written with its cause, published at least once after the commit, then deleted. */
export type OutboxDoc = {
  _id: string;
  /** The source, within which rows keep their order, e.g. "prediction:<id>" or "moderation:<stream>". */
  actor: string;
  /** Rises with each commit of that actor; `n` counts a commit's events from 0. A row's own events begin at its `n`. */
  version: number;
  n: number;
  target: OutboxTarget;
  type: string;
  data: Record<string, unknown>;
  /** Changes that the room makes to its own state together with the event; opaque here. */
  effects?: RoomEffects;
  createdAt: Date;
  /** Failures other than an unavailable store; at the limit the row is parked (dead letter), so that it doesn't block others. */
  failures: number;
  parkedAt: Date | null;
};

/** The first unsent row of a source. */
type OutboxHead = Pick<OutboxDoc, "actor" | "createdAt">;

/** Parked rows of one source. */
export type ParkedRows = {
  source: string;
  rows: number;
  /** When the first of them was parked. */
  since: Date;
  /** Event types. */
  types: string[];
};

/** Rows of one actor per read. */
export const UNSENT_PAGE = 100;

/** Rows per read when looking for heads of sources. */
const HEADS_PAGE = 200;

/** Maximum number of parked rows that one listing reads. */
const MAX_PARKED_READ = 10_000;

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
  const batchedFind = batchedFinds(db);

  const unsentOfOne = (actor: string) =>
    outbox.find({ actor, parkedAt: null }).sort({ version: 1, n: 1 }).limit(UNSENT_PAGE).toArray();

  async function unsentOfMany(actors: readonly string[]): Promise<OutboxDoc[][]> {
    const page = { ...inOneReply(UNSENT_PAGE), limit: UNSENT_PAGE };
    const filter = { actor: { $in: [...actors] }, parkedAt: null };
    const rows = await outbox.find(filter, page).sort({ actor: 1, version: 1, n: 1 }).toArray();
    // A full page may have cut off some actors' rows.
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
    /** Unsent rows of that actor in order, at most 100; calls in one turn of the event loop are batched. */
    unsentOf: (actor: string) => unsent.load(actor),
    /**
     * The heads of the sources after `source`, by name ("" = from the first), as far as one page of rows goes; `next` is the
     * cursor for the next call, null at the end. Repeated calls visit all sources, however many rows one has.
     */
    async headsAfter(source: string): Promise<{ heads: OutboxHead[]; next: string | null }> {
      const page = await batchedFind(
        outbox,
        { actor: { $gt: source } },
        { ...headOnly, sort: { actor: 1, version: 1, n: 1 }, limit: HEADS_PAGE },
      );
      const heads = new Map<string, OutboxHead>();
      for (const { actor, createdAt, parkedAt } of page) {
        if (parkedAt === null && !heads.has(actor)) heads.set(actor, { actor, createdAt });
      }
      const last = page.length === HEADS_PAGE ? page.at(-1)?.actor : undefined;
      if (last === undefined) return { heads: [...heads.values()], next: null };
      // The first rows of the source that the page cuts off may all be parked.
      const behind = heads.has(last)
        ? null
        : await outbox.findOne({ actor: last, parkedAt: null }, { ...headOnly, sort: { version: 1, n: 1 } });
      return { heads: [...heads.values(), ...(behind ? [behind] : [])], next: last };
    },
    remove: async (ids: string[]) => void (await outbox.deleteMany({ _id: { $in: ids } })),
    fail: async (id: string) => void (await outbox.updateOne({ _id: id }, { $inc: { failures: 1 } })),
    park: async (id: string, at: Date) =>
      void (await outbox.updateOne({ _id: id }, { $set: { parkedAt: at } })),

    /** Sources with parked rows, at most `limit`, by name; with very many rows only the first are read. */
    parked: (limit: number) =>
      outbox
        .aggregate<ParkedRows>([
          { $match: isParked },
          { $sort: { parkedAt: 1 } },
          { $limit: MAX_PARKED_READ },
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
    /** Makes a source's parked rows unsent again; returns how many there were. */
    async release(actor: string): Promise<number> {
      const fresh = { $set: { failures: 0, parkedAt: null } };
      return (await outbox.updateMany({ actor, ...isParked }, fresh)).modifiedCount;
    },
  };
}

export type OutboxRows = ReturnType<typeof outboxIn>;
