import type { ClientSession } from "mongodb";
import type { Audit } from "../../base/audit.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { globalSetIn } from "../../store/mongo/driver/global-set.ts";
import { retryingConflicts } from "../../store/mongo/driver/retried-transaction.ts";
import type { AuditTrail } from "../accounts/public.ts";

export type DiscoveryChanges = ReturnType<typeof createDiscoveryChanges>;

/** Changes of discovery data (categories, featured channels) by staff: serialized, each with an audit line. */
export function createDiscoveryChanges(deps: { mongo: Mongo; auditTrail: Pick<AuditTrail, "transact"> }) {
  const discovery = globalSetIn(deps.mongo.db, "discovery");
  // The first two concurrent changes ever may both create the document.
  return <T>(write: (session: ClientSession, note: Audit) => Promise<T>): Promise<T> =>
    retryingConflicts(() =>
      deps.auditTrail.transact(async (session, note) => {
        await discovery.raise(session);
        return write(session, note);
      }),
    );
}
