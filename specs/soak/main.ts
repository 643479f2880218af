import { ACTORS } from "./actors.ts";
import { CONTRACT } from "./contract.ts";
import { ROOMS } from "./rooms.ts";
import { soak } from "./run.ts";

await soak({ actors: ACTORS, rooms: ROOMS, contract: CONTRACT }, process.argv.slice(2));
