/** A jobs worker that only sends pushes, until it is killed. */
import { createFcm } from "../../../actors/notifications/push/fcm.ts";
import { processClock } from "../../../base/clock.ts";
import { startPushes } from "../../../jobs/notifications/pushes.ts";
import { inputFromParent } from "../../stress/parent.ts";
import { specCore } from "../../support/core.ts";
import { openStores } from "../../support/stores.ts";
import { isInput } from "./messages.ts";

const { database, settings, url } = inputFromParent(isInput);
const stores = await openStores(database);
const core = specCore(stores, { pushSenders: { fcm: createFcm(settings, processClock, { url }) } });
await startPushes({ ...core, blockingRedis: stores.blockingRedis });
