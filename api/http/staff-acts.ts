import type { MemberRole } from "../../actors/channels/channel-roles.ts";
import type { Caller } from "../../actors/identity/caller.ts";
import type { Audit, Origin } from "../../store/audit.ts";

type Act = { operationId: string; caller: Caller; origin: Origin; named: Record<string, unknown> };

/**
 * Writes the audit line of staff who change in a channel what they may change only as staff. It is written before the act,
 * as an intention: the act itself may still be refused. `named` has the ids in the request, which were checked to be UUIDs.
 */
export function auditStaffAct(audit: Audit, role: MemberRole, act: Act): void {
  const { operationId: operation, caller, origin, named } = act;
  if (role !== "staff" || caller.kind !== "user") return;
  const ids = Object.entries(named).map(([name, id]) => `${name}=${String(id)}`);
  audit("staff.acted", { userId: caller.userId, origin }, { operation, ids: ids.join(" ") });
}
