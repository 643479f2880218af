import type { ClientSession, Db } from "mongodb";
import type { AuditEvent } from "../../../base/audit.ts";
import { DAY_MS } from "../../../base/durations.ts";
import { isDuplicateKey } from "../../../base/failures/mongo.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

/** Lines of the audit log that staff are shown: what staff did, and what they looked at. */
export const STAFF_EVENTS = [
  "staff.read",
  "staff.acted",
  "moderation.acted",
  "report.handled",
  "appeal.handled",
  "support.handled",
  "strike.given",
  "strike.revoked",
  "account.banned",
  "account.unbanned",
  "account.verified",
  "invitation.created",
  "invitation.revoked",
  "emote.added",
  "emote.removed",
  "badge.added",
  "badge.removed",
  "badge.granted",
  "badge.revoked",
  "category.added",
  "category.changed",
  "category.removed",
  "featured.changed",
] as const satisfies readonly AuditEvent[];
export type StaffEvent = (typeof STAFF_EVENTS)[number];

/** A year, so that who looked at something can be asked long after. */
const LIFE_SECONDS = (366 * DAY_MS) / 1_000;

export type StaffLogDoc = {
  _id: string;
  staffId: string;
  event: StaffEvent;
  /** Of a read, and of an act in a channel: the operation. */
  operation: string | null;
  /** Of a handled report, appeal or request, and of an act of moderation: what was done. */
  action: string | null;
  /** Types of measures, with a handled report. */
  measures: string[];
  /** The account that it is about. */
  accountId: string | null;
  /** Everything that it is about. */
  ids: string[];
  at: Date;
};

const NEWEST = { at: -1, _id: -1 } as const;

export const staffLogCollection = defineCollection<StaffLogDoc>("staff_log", {
  personal: {
    // Before `ids`, by which the rows of the account would be found no more.
    erase: { staffId: "anonymise", accountId: "anonymise", ids: "remove" },
    exports: { nothing: "what staff did as staff, for those who answer for the service" },
  },
  indexes: [
    { key: { at: 1 }, expireAfterSeconds: LIFE_SECONDS },
    { key: NEWEST }, // page
    { key: { staffId: 1, ...NEWEST } }, // page of a staff member; erasure
    { key: { ids: 1, ...NEWEST } }, // page about something; erasure
    { key: { event: 1, ...NEWEST } }, // page of an event
    { key: { accountId: 1 } }, // erasure
  ],
});

/** Null: any. */
type StaffLogFilter = { staffId: string | null; about: string | null; event: StaffEvent | null };

export function staffLogIn(db: Db) {
  const rows = staffLogCollection.in(db);
  return {
    async insert(docs: StaffLogDoc[], session?: ClientSession): Promise<void> {
      if (docs.length > 0) await rows.insertMany(docs, session ? { session } : {});
    },
    /** What is there already stays. */
    async put(docs: StaffLogDoc[]): Promise<void> {
      if (docs.length === 0) return;
      await rows.insertMany(docs, { ordered: false }).catch((err: unknown) => {
        if (!isDuplicateKey(err)) throw err;
      });
    },
    async remove(ids: string[]): Promise<void> {
      if (ids.length > 0) await rows.deleteMany({ _id: { $in: ids } });
    },
    /** The newest first, by the index of the narrowest filter. */
    page({ staffId, about, event }: StaffLogFilter, range: Range) {
      const filter = {
        ...(about === null ? {} : { ids: about }),
        ...(staffId === null ? {} : { staffId }),
        ...(event === null ? {} : { event }),
      };
      const [first] = Object.keys(filter);
      return pageIn(rows, filter, NEWEST, {
        ...range,
        hint: first === undefined ? NEWEST : { [first]: 1, ...NEWEST },
      });
    },
  };
}

export type StaffLogRows = ReturnType<typeof staffLogIn>;
