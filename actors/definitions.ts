import type { Db } from "mongodb";
import { liveStreamDefinition } from "./live-stream/definition.ts";
import { predictionDefinition } from "./prediction/definition.ts";
import { subscriptionDefinition } from "./subscription/definition.ts";

/** Every kind of actor that there is. */
export const definitionsIn = (db: Db) => ({
  prediction: predictionDefinition(db),
  liveStream: liveStreamDefinition(db),
  subscription: subscriptionDefinition(db),
});
