/** The process that dies: sends due notifications, hands them to push, and kills itself at the given point. */
import { createOutbox } from "../../../actors/host/outbox.ts";
import { processClock as clock } from "../../../base/clock.ts";
import { connectMongo } from "../../../store/mongo/driver/connect.ts";
import { inputFromParent } from "../../stress/parent.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { Points, tapMongo } from "../host/crash/points.ts";
import { notificationsOf } from "./given-facts.ts";
import { isInput, type Passed } from "./messages.ts";

const { database, dieAt } = inputFromParent(isInput);
const mongo = await connectMongo({
  url: process.env.MONGODB_URL ?? "",
  database,
  selectionTimeoutMs: 5_000,
  maxPoolSize: 5,
  monitorCommands: true,
});
const died = new Points(dieAt);
tapMongo(mongo.client, died);
const nobody = async () => undefined;
const outbox = createOutbox({ mongo, clock, log: quietLog(), publishRoom: nobody, publishUsers: nobody });

died.phase = "notify";
const notifications = notificationsOf({ mongo, outbox, clock });
await notifications.fanOut();
await notifications.deliver();
await outbox.idle();
died.phase = null;
const message: Passed = { passed: died.passed };
process.send?.(message, undefined, undefined, () => process.disconnect());
