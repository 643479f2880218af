import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

export type OverlayKind = "chat" | "alerts" | "prediction" | "poll";
export type OverlayAlertKind = "follow" | "subscription" | "gift" | "tip" | "raid";

export type OverlaySettings = {
  theme: "dark" | "light" | "clear";
  alertKinds: OverlayAlertKind[];
  alertSeconds: number;
  sound: boolean;
  /** Percent. */
  volume: number;
  smallestTipCents: number;
  /** Pixels. */
  fontSize: number;
  /** 0: never. */
  fadeSeconds: number;
  hidesCommands: boolean;
  /** As the owner wrote them. */
  hiddenUsers: string[];
};

/** A page that a channel's owner has put into their broadcasting program. The token of its link is in `apiTokens`. */
export type OverlayDoc = {
  _id: string;
  streamId: string;
  /** The channel's owner. */
  userId: string;
  kind: OverlayKind;
  name: string;
  settings: OverlaySettings;
  createdAt: Date;
  /** When its link was last renewed; absent: never. */
  renewedAt?: Date;
};

export const overlaysCollection = defineCollection<OverlayDoc>("overlays", {
  personal: {
    erase: { userId: "delete", streamId: { with: "userId" } },
    exports: [{ by: "userId", shows: ["kind", "name", "settings", "createdAt"] }],
  },

  indexes: [
    { key: { userId: 1 } }, // export and erasure
    { key: { streamId: 1, createdAt: 1, _id: 1 } }, // page, count
  ],
});

export function overlaysIn(db: Db) {
  const overlays = overlaysCollection.in(db);
  return {
    page: (streamId: string, range: Range) => pageIn(overlays, { streamId }, { createdAt: 1, _id: 1 }, range),
    find: (overlayId: string) => overlays.findOne({ _id: overlayId }),
    /** Of a channel, or null. */
    findOf: (streamId: string, overlayId: string) => overlays.findOne({ _id: overlayId, streamId }),
    count: (streamId: string, most: number, session: ClientSession) =>
      overlays.countDocuments({ streamId }, { session, limit: most + 1 }),
    insert: async (doc: OverlayDoc, session: ClientSession): Promise<void> =>
      void (await overlays.insertOne(doc, { session })),
    /** Null when there is none. */
    update: (
      streamId: string,
      overlayId: string,
      { name, settings = {} }: { name?: string; settings?: Partial<OverlaySettings> },
    ): Promise<OverlayDoc | null> => {
      const changed = Object.entries(settings).map(([key, value]) => [`settings.${key}`, value]);
      const set = { ...(name === undefined ? {} : { name }), ...Object.fromEntries(changed) };
      const filter = { _id: overlayId, streamId };
      return Object.keys(set).length === 0
        ? overlays.findOne(filter)
        : overlays.findOneAndUpdate(filter, { $set: set }, { returnDocument: "after" });
    },
    /** Conflicts with a removal, which ends the link that it finds. Null when there is none. */
    renew: (
      streamId: string,
      overlayId: string,
      renewedAt: Date,
      session: ClientSession,
    ): Promise<OverlayDoc | null> =>
      overlays.findOneAndUpdate(
        { _id: overlayId, streamId },
        { $set: { renewedAt } },
        { session, returnDocument: "after" },
      ),
    remove: (streamId: string, overlayId: string, session: ClientSession): Promise<OverlayDoc | null> =>
      overlays.findOneAndDelete({ _id: overlayId, streamId }, { session }),
  };
}
