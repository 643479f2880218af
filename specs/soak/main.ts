import { ACTORS } from "./actors.ts";
import { ANALYTICS } from "./analytics.ts";
import { CONTRACT } from "./contract.ts";
import { FLEET } from "./fleet.ts";
import { MACHINES } from "./machines.ts";
import { RELEASES } from "./releases.ts";
import { ROOMS } from "./rooms.ts";
import { soak } from "./run.ts";
import { SEARCH } from "./search.ts";

await soak(
  {
    actors: ACTORS,
    rooms: ROOMS,
    search: SEARCH,
    analytics: ANALYTICS,
    contract: CONTRACT,
    machines: MACHINES,
    releases: RELEASES,
    fleet: FLEET,
  },
  process.argv.slice(2),
);
