import { ACTORS } from "./actors.ts";
import { ANALYTICS } from "./analytics.ts";
import { CONTRACT } from "./contract.ts";
import { ROOMS } from "./rooms.ts";
import { soak } from "./run.ts";

await soak({ actors: ACTORS, rooms: ROOMS, contract: CONTRACT, analytics: ANALYTICS }, process.argv.slice(2));
