import type { WorkerKind } from "../config/worker-kinds.ts";
import type { StoreState } from "../process/messages.ts";

/** What a load balancer may send to this host. */
export type Serving = { rest: boolean; sockets: boolean };

/**
 * A host that is cut off from Redis serves nothing as long as other hosts can. If Redis is away everywhere, hosts serve what they
 * can without it. What isn't known of the stores (null) keeps nobody away.
 */
export function servingOf(stores: StoreState | null, absent: readonly WorkerKind[]): Serving {
  const { mongodb, redis, elsewhere } = stores ?? { mongodb: true, redis: true, elsewhere: [] };
  return {
    rest: !absent.includes("api") && mongodb && !elsewhere.includes("api"),
    sockets: !absent.includes("realtime") && !elsewhere.includes("realtime") && (mongodb || redis),
  };
}
