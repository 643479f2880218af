import type { ClientSession, Db } from "mongodb";
import { newId } from "../../../base/ids.ts";
import { batchedFinds } from "../driver/batched-finds.ts";
import { defineCollection } from "../driver/collection.ts";

/** What the media service keeps files of: a clip, by its id, or a recording, by the media service's own id. */
export type MediaThing = { kind: "clip" | "recording"; id: string };
/**
 * A stream whose pictures from the media service were removed; an account whose status changed, which stands for its clips,
 * its channel's clips, its recordings and its stream's pictures.
 */
type MediaOwner = { kind: "stream" | "account"; id: string };

/**
 * An outbox for the media service: this clip, recording or account was hidden, shown or removed. It says nothing of the new
 * state, which is read when it is sent. Written with its cause; deleted once the media service has accepted a state that is as
 * new.
 */
export type MediaChangeDoc = {
  _id: string;
  thing: MediaThing | MediaOwner;
  createdAt: Date;
  dueAt: Date;
  /** Those of a lower one are sent first; absent in rows from before it, which go before all. */
  turn?: number;
  failures: number;
};

/** A change of one thing, before all that an account's change concerns. */
const OWN_TURN = 0;
/** What an erasure deletes has been private since the account was deleted. */
export const LAST_TURN = 2 ** 31 - 1;
/** An account's things count on from the first turn, this many in each, so that accounts take turns. */
const PER_TURN = 10;
const turnOf = (n: number): number => OWN_TURN + 1 + Math.floor(n / PER_TURN);

/** Places of a batch for the rows that have waited longest, however many of a lower turn are added. */
const FOR_OLDEST = 5;

/** `turn`: not that of a change of one thing. */
export type MediaChangeTime = { at: Date; turn?: number | undefined };

/** For rows that no media service ever accepts, or of a service without one. */
const KEPT_SECONDS = 90 * 86_400;
/** Rows of one thing per notification; more are left to the next. */
const MAX_OF_ONE = 100;

export const mediaChangesCollection = defineCollection<MediaChangeDoc>("media_changes", {
  personal: { erase: { "thing.id": "delete" }, exports: { nothing: "what is pending for a moment" } },

  indexes: [
    { key: { turn: 1, dueAt: 1 } }, // due
    { key: { dueAt: 1 } }, // due, the oldest
    { key: { "thing.id": 1, _id: 1 } }, // ofThing
    { key: { createdAt: 1 }, expireAfterSeconds: KEPT_SECONDS },
  ],
});

const docOf = (thing: MediaChangeDoc["thing"], at: Date, turn = OWN_TURN): MediaChangeDoc => ({
  _id: newId(),
  thing,
  createdAt: at,
  dueAt: at,
  turn,
  failures: 0,
});

export function mediaChangesIn(db: Db) {
  const changes = mediaChangesCollection.in(db);
  const batchedFind = batchedFinds(db);
  return {
    /** Call it in the transaction of the change. */
    async add(
      thing: MediaChangeDoc["thing"],
      { at, turn }: MediaChangeTime,
      session: ClientSession,
    ): Promise<void> {
      await changes.insertOne(docOf(thing, at, turn), { session });
    },
    /** Outside of a transaction, since it is repeated if it fails. */
    async addNow(thing: MediaChangeDoc["thing"], at: Date): Promise<void> {
      await changes.insertOne(docOf(thing, at));
    },
    /** Those that follow from an account's, in their order; `before`: how many there were before these. */
    async addAll(things: readonly MediaThing[], before: number, at: Date): Promise<void> {
      if (things.length === 0) return;
      await changes.insertMany(things.map((thing, n) => docOf(thing, at, turnOf(before + n))));
    },
    /** Things to notify of, at most `limit`: some by age, the others by turn. */
    async due(now: Date, limit: number): Promise<MediaChangeDoc["thing"][]> {
      const isDue = { dueAt: { $lte: now } };
      const [oldest, inTurn] = await Promise.all([
        batchedFind(changes, isDue, { sort: { dueAt: 1 }, limit: FOR_OLDEST }),
        batchedFind(changes, isDue, { sort: { turn: 1, dueAt: 1 }, limit }),
      ]);
      const rows = [...oldest, ...inTurn];
      const things = new Map(rows.map(({ thing }) => [`${thing.kind}:${thing.id}`, thing]));
      return [...things.values()].slice(0, limit);
    },
    /** All of them, also those that aren't due, oldest first. */
    ofThing: ({ kind, id }: MediaChangeDoc["thing"]) =>
      changes.find({ "thing.id": id, "thing.kind": kind }).sort({ _id: 1 }).limit(MAX_OF_ONE).toArray(),
    remove: async (ids: string[]) => void (await changes.deleteMany({ _id: { $in: ids } })),
    /** All rows of a thing, also those beyond `ofThing`: one that stayed due would be tried at once, whatever the others wait for. */
    postpone: async ({ kind, id }: MediaChangeDoc["thing"], dueAt: Date) =>
      void (await changes.updateMany(
        { "thing.id": id, "thing.kind": kind },
        { $set: { dueAt }, $inc: { failures: 1 } },
      )),
  };
}
