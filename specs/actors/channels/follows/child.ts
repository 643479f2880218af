/** The process that dies: follows and unfollows a channel, and kills itself at the given point. */
import { createFollowing } from "../../../../actors/channels/following.ts";
import { createOutbox } from "../../../../actors/host/outbox.ts";
import { createPoints } from "../../../../actors/points/ledger/points.ts";
import { processClock as clock } from "../../../../base/clock.ts";
import { followsIn } from "../../../../store/mongo/channels/follows.ts";
import { streamsIn } from "../../../../store/mongo/channels/streams.ts";
import { connectMongo } from "../../../../store/mongo/driver/connect.ts";
import { hasFields, inputFromParent } from "../../../stress/parent.ts";
import { quietLog } from "../../../support/quiet-log.ts";
import { Points, tapMongo } from "../../host/crash/points.ts";
import { type Input, type Passed, requireUserIn } from "./messages.ts";

const { database, channel, fan, dieAt } = inputFromParent((given: unknown): given is Input =>
  hasFields(given, "database", "channel", "fan", "dieAt"),
);
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
const following = createFollowing({
  mongo,
  follows: followsIn(mongo.db),
  streams: streamsIn(mongo.db),
  directory: {
    requireUser: requireUserIn(mongo.db),
    usersByIds: async () => new Map(),
    usersInOrder: async () => [],
  },
  rooms: { forgetFollow: nobody },
  points: createPoints({ mongo, clock, outbox }),
  clock,
});

died.phase = "follow";
await following.follow(fan, channel);
died.phase = "unfollow";
await following.unfollow(fan, channel);
died.phase = null;
const message: Passed = { passed: died.passed };
process.send?.(message, undefined, undefined, () => process.disconnect());
