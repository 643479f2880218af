/**
 * Changes of what rooms have of emotes and badges: of a channel's own set by its owner, of the global one by staff. All changes of one
 * set take turns at one document (the stream, the global set's version), so what `write` counts and finds holds.
 */
import type { ClientSession } from "mongodb";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Audit, Origin } from "../../store/audit.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { globalSetIn } from "../../store/mongo/global-set.ts";
import type { StreamDoc } from "../../store/mongo/streams.ts";
import type { RoomChange, RoomChanges, RoomNews } from "../channels/room-changes.ts";
import { retryingConflicts } from "../host/conflict.ts";
import type { AuditTrail } from "../identity/audit-trail.ts";

/** Whose set: that channel's, or the global one, changed by somebody of staff. */
export type ChatSet = { channel: StreamDoc } | { staff: StaffMember };
export type StaffMember = { userId: string; origin: Origin };

/** As documents have it. */
export const ownerOf = (set: ChatSet): string | null => ("channel" in set ? set.channel.userId : null);

export type SetChange = {
  /** What the channel's room is sent: its set is another one now, or something else. */
  room: "emotes" | "badges" | RoomNews;
  /** The line of the audit log for a change by staff. */
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
   * `write` may run several times; a ServiceError in it undoes everything. A change of a channel's own set is answered when it
   * holds for every message admitted from now on; throws `unavailable` when the room couldn't be notified, and is stored then.
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
          if (typeof room !== "string") return { news: [room] };
          const data = { version: (before.chatConfigVersion ?? 0) + 1, changed: room };
          return { news: [{ type: "chat.config", data }], changesConfig: true };
        },
      );
      if (!published) throw new ServiceError("unavailable", { retry_after_ms: 1_000 });
      return;
    }
    // The very first two may both make the global set's document.
    await retryingConflicts(() =>
      auditTrail.transact(async (session, note) => {
        await globals.raise(session);
        (await write(session)).line(note, set.staff);
      }),
    );
  };
}
