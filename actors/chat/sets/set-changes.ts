/**
 * Changes of the sets of emotes and badges: a channel's own set is changed by its owner, the global one by staff. All changes of
 * one set write one document (the stream, or the global set's version), which serializes them, so what `write` counts and finds
 * stays valid until the commit.
 */
import type { ClientSession } from "mongodb";
import type { Audit, Origin } from "../../../base/audit.ts";
import { unavailable } from "../../../contract/errors.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { globalSetIn } from "../../../store/mongo/driver/global-set.ts";
import { retryingConflicts } from "../../../store/mongo/driver/retried-transaction.ts";
import type { AuditTrail } from "../../accounts/public.ts";
import type { RoomChange, RoomChanges } from "../../channels/public.ts";
import type { RoomRow } from "../../host/outbox-draft.ts";

/** A channel's own set, or the global one together with the staff member who changes it. */
export type ChatSet = { channel: StreamDoc } | { staff: StaffMember };
export type StaffMember = { userId: string; origin: Origin };

/** The set's owner as stored in documents: the channel's user id, or null for the global set. */
export const ownerOf = (set: ChatSet): string | null => ("channel" in set ? set.channel.userId : null);

export type SetChange = {
  /** The event for the channel's room: the kind of set that has changed, or another event. */
  room: "emotes" | "badges" | RoomRow;
  /** Writes the audit line of a change by staff. */
  line(note: Audit, by: StaffMember): void;
};

export type SetChanges = ReturnType<typeof createSetChanges>;

export function createSetChanges(deps: {
  mongo: Mongo;
  changes: RoomChanges;
  auditTrail: Pick<AuditTrail, "transact">;
}) {
  const { mongo, changes, auditTrail } = deps;
  const globals = globalSetIn(mongo.db);

  /**
   * `write` may run several times; a ServiceError in it rolls everything back. For a channel's own set it resolves when the
   * change applies to every message admitted from now on. Throws `unavailable` when the room couldn't be notified; the change is
   * stored then.
   */
  return async function change(
    set: ChatSet,
    write: (session: ClientSession) => Promise<SetChange>,
  ): Promise<void> {
    if ("channel" in set) {
      const { published } = await changes.commit(
        set.channel._id,
        async (before, session): Promise<RoomChange> => {
          const { room } = await write(session);
          if (typeof room !== "string") return { events: [room] };
          const data = { version: (before.chatConfigVersion ?? 0) + 1, changed: room };
          return { events: [{ type: "chat.config", data }], changesConfig: true };
        },
      );
      if (!published) throw unavailable();
      return;
    }
    // The first two concurrent changes ever may both create the global set's document.
    await retryingConflicts(() =>
      auditTrail.transact(async (session, note) => {
        await globals.raise(session);
        (await write(session)).line(note, set.staff);
      }),
    );
  };
}
