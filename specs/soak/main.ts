import { ACTORS } from "./actors.ts";
import { CONTRACT } from "./contract.ts";
import { ROOMS } from "./rooms.ts";
import { soak } from "./run.ts";
import { SEARCH } from "./search.ts";

await soak({ actors: ACTORS, rooms: ROOMS, contract: CONTRACT, search: SEARCH }, process.argv.slice(2));
