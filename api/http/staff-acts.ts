import type { Caller } from "../../actors/accounts/tokens/caller.ts";
import type { MemberRole } from "../../actors/channels/channel-roles.ts";
import type { StaffLog } from "../../actors/safety/staff-log.ts";
import type { Audit, Origin } from "../../base/audit.ts";
import { isUuid } from "../../base/ids.ts";
import type { Operation } from "../../contract/openapi-document.ts";
import { isReply } from "./reply.ts";

type StaffLogs = { audit: Audit; staffLog: Pick<StaffLog, "add"> };
type Act = { operationId: string; caller: Caller; origin: Origin; named: Record<string, unknown> };

/**
 * Writes the audit line of staff who change in a channel what they may change only as staff. It is written before the act,
 * as an intention: the act itself may still be refused. `named` has the ids in the request, which were checked to be UUIDs.
 */
export async function auditStaffAct(
  { audit, staffLog }: StaffLogs,
  role: MemberRole,
  act: Act,
): Promise<void> {
  const { operationId: operation, caller, origin, named } = act;
  if (role !== "staff" || caller.kind !== "user") return;
  const by = { userId: caller.userId, origin };
  const fields = { operation, ids: idsOf(named).join(" ") };
  await staffLog.add("staff.acted", by, fields);
  audit("staff.acted", by, fields);
}

/** Whether an operation that reads is about what only staff are shown: accounts with their addresses, reports, appeals, requests, strikes. */
export const isStaffRead = ({ "x-access": access }: Pick<Operation, "x-access">): boolean =>
  access.who === "staff";

/**
 * Writes the audit line of what staff were shown: the ids in the path, whose it is, and the ids of what the answer shows, of which a
 * page has at most a hundred. What they searched for isn't in it: it may be an e-mail address.
 */
export async function auditStaffRead(
  { audit, staffLog }: StaffLogs,
  { operationId: operation, caller, origin, named }: Act,
  answer: unknown,
): Promise<void> {
  if (caller.kind !== "user") return;
  const path = idsOf(named);
  const before = Object.values(named);
  const { shownOwnerId: owner } = caller;
  const whose = owner === undefined || before.includes(owner) ? [] : [`account_id=${owner}`];
  const shown = shownIn(answer).filter((id) => id !== owner && !before.includes(id));
  const ids = [...path, ...whose, ...shown.map((id) => `id=${id}`)].join(" ");
  const by = { userId: caller.userId, origin };
  const isOfLog = operation === "listStaffLog";
  // Before anything is shown. Reading the log itself would only add to it.
  if (!isOfLog) await staffLog.add("staff.read", by, { operation, ids });
  audit("staff.read", by, { operation, ids: isOfLog ? path.join(" ") : ids });
}

const idsOf = (named: Record<string, unknown>): string[] =>
  Object.entries(named).map(([name, id]) => `${name}=${String(id)}`);

/** The id of an answer, or those of a page's items. */
function shownIn(answer: unknown): string[] {
  const body: unknown = isReply(answer) ? answer.body : answer;
  const items: unknown = Object(body).items;
  const things: unknown[] = Array.isArray(items) ? items : [body];
  return things.flatMap((thing) => {
    const id: unknown = Object(thing).id;
    return typeof id === "string" && isUuid(id) ? [id] : [];
  });
}
