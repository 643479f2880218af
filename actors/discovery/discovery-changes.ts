import type { ClientSession } from "mongodb";
import type { Audit } from "../../store/audit.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { globalSetIn } from "../../store/mongo/global-set.ts";
import { retryingConflicts } from "../host/conflict.ts";
import type { AuditTrail } from "../identity/audit-trail.ts";

export type DiscoveryChanges = ReturnType<typeof createDiscoveryChanges>;

/** Changes of what staff keep for discovery: one after the other, each with its line in the audit log. */
export function createDiscoveryChanges(deps: { mongo: Mongo; auditTrail: Pick<AuditTrail, "transact"> }) {
  const discovery = globalSetIn(deps.mongo.db, "discovery");
  // The very first two may both make the document.
  return <T>(write: (session: ClientSession, note: Audit) => Promise<T>): Promise<T> =>
    retryingConflicts(() =>
      deps.auditTrail.transact(async (session, note) => {
        await discovery.raise(session);
        return write(session, note);
      }),
    );
}
