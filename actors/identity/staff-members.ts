import type { Log } from "../../store/log.ts";
import type { Users } from "../../store/mongo/users.ts";
import { createPolling } from "./polling.ts";

const POLL_MS = 1_000;
/** More accounts than any staff has. */
const MOST = 10_000;

/** Who is staff, known to every worker within some seconds: for sockets, where nobody waits for the database. */
export function createStaffMembers(deps: { users: Pick<Users, "staffIds">; log: Log }) {
  let members: ReadonlySet<string> = new Set();

  const polling = createPolling({
    everyMs: POLL_MS,
    poll: async () => {
      members = new Set(await deps.users.staffIds(MOST));
    },
    onFailed: (err) => deps.log.warn({ err }, "changes of staff can't be followed on sockets"),
  });

  return {
    has: (userId: string): boolean => members.has(userId),
    start: polling.start,
    stop: polling.stop,
  };
}
