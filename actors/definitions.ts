import type { Db } from "mongodb";
import { liveStreamDefinition } from "./live-stream/definition.ts";
import { predictionDefinition } from "./prediction/definition.ts";
import { raidDefinition } from "./raid/definition.ts";

/** Every kind of actor that there is. */
export const definitionsIn = (db: Db) => ({
  prediction: predictionDefinition(db),
  liveStream: liveStreamDefinition(db),
  raid: raidDefinition(db),
});
