import type { Actor, Audit, AuditFields, Origin } from "../../base/audit.ts";
import type { Clock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import type { Streams } from "../../store/mongo/channels/streams.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { staffLogIn } from "../../store/mongo/safety/staff-log.ts";
import { staffLogRow } from "../accounts/public.ts";

type Deps = { mongo: Mongo; streams: Pick<Streams, "find">; audit: Audit; clock: Clock };

type RoomShown = { streamId: string; userId: string; origin: Origin };

/** What staff did and looked at, as staff can read it. Acts that are committed write their rows with the audit trail. */
export function createStaffLog({ mongo, streams, audit, clock }: Deps) {
  const rows = staffLogIn(mongo.db);

  async function add(
    event: "staff.read" | "staff.acted",
    by: Actor,
    fields: AuditFields<"staff.read">,
  ): Promise<void> {
    const row = staffLogRow({ _id: newId(), event, by, fields }, new Date(clock.now()));
    if (row) await rows.insert([row]);
  }

  return {
    /** Resolves once the row is stored: until then nothing is shown or done. */
    add,

    /** The line and the row of staff who follow, by a socket, a room that is there for staff alone; before they are shown it. */
    async roomShown({ streamId, userId, origin }: RoomShown): Promise<void> {
      const owner = (await streams.find(streamId))?.userId;
      const whose = owner === undefined ? [] : [`account_id=${owner}`];
      const fields = { operation: "subscribe", ids: [`stream_id=${streamId}`, ...whose].join(" ") };
      await add("staff.read", { userId, origin }, fields);
      audit("staff.read", { userId, origin }, fields);
    },
    page: rows.page,
  };
}

export type StaffLog = ReturnType<typeof createStaffLog>;
