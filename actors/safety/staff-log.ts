import type { Actor, AuditFields } from "../../base/audit.ts";
import type { Clock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { staffLogIn } from "../../store/mongo/safety/staff-log.ts";
import { staffLogRow } from "../accounts/public.ts";

type Deps = { mongo: Mongo; clock: Clock };

/** What staff did and looked at, as staff can read it. Acts that are committed write their rows with the audit trail. */
export function createStaffLog({ mongo, clock }: Deps) {
  const rows = staffLogIn(mongo.db);
  return {
    /** Resolves once the row is stored: until then nothing is shown or done. */
    async add(
      event: "staff.read" | "staff.acted",
      by: Actor,
      fields: AuditFields<"staff.read">,
    ): Promise<void> {
      const row = staffLogRow({ _id: newId(), event, by, fields }, new Date(clock.now()));
      if (row) await rows.insert([row]);
    },
    page: rows.page,
  };
}

export type StaffLog = ReturnType<typeof createStaffLog>;
