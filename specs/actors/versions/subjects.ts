import type { World } from "../world.ts";
import { liveStreamSubject } from "./live-stream-subject.ts";
import { predictionSubject } from "./prediction-subject.ts";
import { raidSubject } from "./raid-subject.ts";
import type { Subject } from "./stage.ts";

/** Every machine that the service runs. */
export const SUBJECTS: Record<string, (world: World) => Subject> = {
  prediction: predictionSubject,
  "live-stream": liveStreamSubject,
  raid: raidSubject,
};
