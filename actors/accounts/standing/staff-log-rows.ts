import type { Actor, AuditEvent } from "../../../base/audit.ts";
import { isUuid } from "../../../base/ids.ts";
import { STAFF_EVENTS, type StaffEvent, type StaffLogDoc } from "../../../store/mongo/safety/staff-log.ts";

type Line = { _id: string; event: AuditEvent; by: Actor; fields: object };

/** The account that a path names. */
const ACCOUNT = /(?:^| )(?:account|user)_id=(\S+)/;

const isStaffEvent = (event: AuditEvent): event is StaffEvent =>
  STAFF_EVENTS.some((known) => known === event);

/**
 * The row of the staff log for a line of the audit log; null for lines of others, of an operator at the terminal, and where nothing was
 * shown.
 */
export function staffLogRow({ _id, event, by, fields }: Line, at: Date): StaffLogDoc | null {
  if (by.userId === null || !isStaffEvent(event)) return null;
  const { operation, action, measures, accountId, ...others } = fieldsOf(fields);
  const ids = [accountId, ...Object.values(others)].flatMap(idsIn);
  if (event === "staff.read" && ids.length === 0) return null;
  return {
    _id,
    staffId: by.userId,
    event,
    operation: operation ?? null,
    action: action ?? null,
    measures: measures?.split(" ").filter((type) => type !== "") ?? [],
    accountId: accountId ?? ACCOUNT.exec(others.ids ?? "")?.[1] ?? null,
    ids: [...new Set(ids)],
    at,
  };
}

const fieldsOf = (fields: object): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]: [string, unknown]) =>
      value === null || value === undefined ? [] : [[name, String(value)]],
    ),
  );

/** Fields have one id, several, or several with their names: "stream_id=<uuid> id=<uuid>". */
const idsIn = (text: string | undefined): string[] =>
  (text ?? "")
    .split(" ")
    .map((part) => part.slice(part.indexOf("=") + 1))
    .filter(isUuid);
