import type { Log } from "../../../base/log.ts";
import { createPolling } from "../../../base/polling.ts";
import type { Users } from "../../../store/mongo/accounts/users.ts";

const POLL_MS = 1_000;
/** More accounts than any staff has. */
const MAX_STAFF = 10_000;

/** The staff, polled by every worker within some seconds: for sockets, which don't wait for the database. */
export function createStaffMembers(deps: { users: Pick<Users, "staffIds">; log: Log }) {
  let members: ReadonlySet<string> = new Set();
  const handlers = new Set<(userId: string) => void>();

  const polling = createPolling({
    everyMs: POLL_MS,
    poll: async () => {
      const before = members;
      members = new Set(await deps.users.staffIds(MAX_STAFF));
      const changed = [...members, ...before].filter((userId) => before.has(userId) !== members.has(userId));
      for (const userId of changed) for (const handler of handlers) handler(userId);
    },
    what: "polling of staff",
    log: deps.log,
  });

  return {
    has: (userId: string): boolean => members.has(userId),
    /** Calls the handler for each user who became staff or no longer is. */
    onChanged(handler: (userId: string) => void): () => void {
      handlers.add(handler);
      return () => void handlers.delete(handler);
    },
    start: polling.start,
    stop: polling.stop,
  };
}

export type StaffMembers = ReturnType<typeof createStaffMembers>;
