import type { ClientSession, Db } from "mongodb";
import { newId } from "../ids.ts";
import { batchedFinds } from "./batched-finds.ts";
import { defineCollection } from "./collection.ts";

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
  failures: number;
};

/** For rows that no media service ever accepts, or of a service without one. */
const KEPT_SECONDS = 90 * 86_400;
/** Rows of one thing per notification; more are left to the next. */
const MAX_OF_ONE = 100;

export const mediaChangesCollection = defineCollection<MediaChangeDoc>("media_changes", {
  personal: { erase: { "thing.id": "delete" }, exports: { nothing: "what is pending for a moment" } },

  indexes: [
    { key: { dueAt: 1 } }, // due
    { key: { "thing.id": 1, _id: 1 } }, // ofThing
    { key: { createdAt: 1 }, expireAfterSeconds: KEPT_SECONDS },
  ],
});

const docOf = (thing: MediaChangeDoc["thing"], at: Date): MediaChangeDoc => ({
  _id: newId(),
  thing,
  createdAt: at,
  dueAt: at,
  failures: 0,
});

export function mediaChangesIn(db: Db) {
  const changes = mediaChangesCollection.in(db);
  const batchedFind = batchedFinds(db);
  return {
    /** Call it in the transaction of the change. */
    async add(thing: MediaChangeDoc["thing"], at: Date, session: ClientSession): Promise<void> {
      await changes.insertOne(docOf(thing, at), { session });
    },
    /** Those that follow from an account's. */
    async addAll(things: readonly MediaChangeDoc["thing"][], at: Date): Promise<void> {
      if (things.length > 0) await changes.insertMany(things.map((thing) => docOf(thing, at)));
    },
    due: (now: Date, limit: number) =>
      batchedFind(changes, { dueAt: { $lte: now } }, { sort: { dueAt: 1 }, limit }),
    /** All of them, also those that aren't due, oldest first. */
    ofThing: ({ kind, id }: MediaChangeDoc["thing"]) =>
      changes.find({ "thing.id": id, "thing.kind": kind }).sort({ _id: 1 }).limit(MAX_OF_ONE).toArray(),
    remove: async (ids: string[]) => void (await changes.deleteMany({ _id: { $in: ids } })),
    postpone: async (ids: string[], dueAt: Date) =>
      void (await changes.updateMany({ _id: { $in: ids } }, { $set: { dueAt }, $inc: { failures: 1 } })),
  };
}
