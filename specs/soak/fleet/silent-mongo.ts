import {
  type Fault,
  type FaultsOptions,
  underLoad,
  withService,
} from "../../actors/host/replica-set/faults.ts";
import type { Figures, Print } from "../../stress/scenario.ts";
import { openReplicaSet } from "../../support/replica-set.ts";
import { openPacketFilter } from "./packet-filter.ts";

/**
 * All packets to and from MongoDB's primary are dropped while bets go on. Bets wait hardly longer than a plain client of MongoDB,
 * count once each, and get nothing but 503 otherwise. Throws otherwise.
 */
export async function runSilentMongo(options: FaultsOptions, print: Print): Promise<Figures> {
  const filter = openPacketFilter();
  const set = await openReplicaSet();
  const fault: Fault = {
    name: "primary dropped",
    async begin() {
      filter.drop(await set.primaryPort());
      return () => filter.pass();
    },
    isSilent: true,
  };
  try {
    return await withService(set, (world) => underLoad({ world, set, fault, options, print }));
  } finally {
    filter.close();
    await set.close();
  }
}
