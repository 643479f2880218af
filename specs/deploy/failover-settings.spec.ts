import { expect } from "chai";
import { checkFailoverSettings } from "../../deploy/processes/primary/failover-settings.ts";
import { connectForMaintenance, type Mongo } from "../../store/mongo/driver/connect.ts";
import { type LogLine, recordingLog } from "../support/recording-log.ts";
import { openReplicaSet, type ReplicaSet } from "../support/replica-set.ts";

type Member = { _id: number; host: string; priority: number };
type SetConfig = { version: number; members: Member[]; settings: Record<string, number> };

describe("settings of MongoDB's replica set, at the start", function () {
  this.timeout(60_000);
  let set: ReplicaSet;
  let mongo: Mongo;
  before(async () => {
    set = await openReplicaSet({ members: 2 });
    mongo = await connectForMaintenance({ url: set.url, database: "livecore_spec_failover" });
  });
  after(async () => {
    await mongo?.close();
    await set?.close();
  });

  async function warnings(): Promise<LogLine[]> {
    const lines: LogLine[] = [];
    await checkFailoverSettings(mongo.db, recordingLog(lines));
    return lines;
  }

  it("logs nothing when they are as recommended, and what differs when they aren't", async () => {
    expect(await warnings()).deep.equal([]);

    const admin = mongo.client.db("admin");
    const { config }: { config?: SetConfig } = await admin.command({ replSetGetConfig: 1 });
    if (!config) throw new Error("the set has no configuration");
    const [first, ...others] = config.members;
    const preferred = first && { ...first, priority: 2 };
    await admin.command({
      replSetReconfig: {
        ...config,
        version: config.version + 1,
        members: [preferred, ...others],
        settings: { ...config.settings, heartbeatTimeoutSecs: 10 },
      },
    });

    expect(await warnings()).deep.equal([
      {
        level: "warn",
        message: "mongodb replica set: failover slower than recommended",
        fields: {
          electionTimeoutMillis: 2_000,
          heartbeatTimeoutSecs: 10,
          recommended: { electionTimeoutMillis: 2_000, heartbeatTimeoutSecs: 2 },
        },
      },
      {
        level: "warn",
        message: "mongodb replica set: unequal priorities, a failover is followed by another",
        fields: {
          priorities: Object.fromEntries([first, ...others].map((one, i) => [one?.host, i === 0 ? 2 : 1])),
        },
      },
    ]);
  });
});
