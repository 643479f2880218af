import type { MemberRole } from "../../actors/channels/channel-roles.ts";
import type { Caller } from "../../actors/identity/caller.ts";
import type { Audit, Origin } from "../../store/audit.ts";

type Act = { operationId: string; caller: Caller; origin: Origin; named: Record<string, unknown> };

/**
 * The audit line of staff who change in a channel what they may only as staff. It stands there before the act, as what they set
 * out to do: the act itself may still be refused. `named` is what the request names, by uuids that were checked.
 */
export function noteStaffAct(audit: Audit, role: MemberRole, act: Act): void {
  const { operationId: operation, caller, origin, named } = act;
  if (role !== "staff" || caller.kind !== "user") return;
  const ids = Object.entries(named).map(([name, id]) => `${name}=${String(id)}`);
  audit("staff.acted", { userId: caller.userId, origin }, { operation, ids: ids.join(" ") });
}
