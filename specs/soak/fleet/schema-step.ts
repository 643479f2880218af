import { setTimeout as pause } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { isDuplicateKey } from "../../../base/failures/mongo.ts";
import type { Figures, Print } from "../../stress/scenario.ts";
import { eventually } from "../../support/eventually.ts";
import { holdBuilds } from "../../support/held-index-builds.ts";
import { openReplicaSet } from "../../support/replica-set.ts";
import { type Service, serviceHarness } from "../../support/service.ts";

const DATABASE = "livecore_fleet_schema";
const BATCH = 10_000;
const CHECK_EVERY_MS = 1_000;
const TAKEN_OVER_WITHIN_MS = 60_000;
const READY_WITHIN_MS = 180_000;
const BUILDS = "Creating indexes users";
const WAITS = "Waiting for another process";

/**
 * Two hosts of a new release start at once on a set of three whose largest collection has no indexes yet. The build takes longer than a worker
 * may take to be ready; then the host that builds is killed, and after it the primary of the set.
 */
export async function runSchemaStep(
  { documents, heldMs }: { documents: number; heldMs: number },
  print: Print,
): Promise<Figures> {
  const set = await openReplicaSet({ hasFailPoints: true });
  const client = new MongoClient(set.url, { serverSelectionTimeoutMS: 30_000 });
  const { start, end } = serviceHarness("deploy/main.ts");
  const startHost = () =>
    start({
      MONGODB_URL: set.url,
      MONGODB_DATABASE: DATABASE,
      MASTER_KEY: "fleet-master-key".repeat(4),
      API_WORKERS: "1",
    });
  try {
    const users = client
      .db(DATABASE)
      .collection<{ _id: string; username: string; emailKey: string }>("users");
    for (let from = 0; from < documents; from += BATCH) {
      const size = Math.min(BATCH, documents - from);
      await users.insertMany(Array.from({ length: size }, (_, i) => userOf(from + i)));
    }
    print(`${documents} users without indexes`);
    await holdBuilds(client, { username: userOf(Math.floor(documents / 2)).username });
    const hosts = await Promise.all([startHost(), startHost()]);
    await eventually(() => hosts.some(says(BUILDS)) && hosts.some(says(WAITS)), {
      withinMs: READY_WITHIN_MS,
      what: "one host builds, the other waits",
    });
    const [builder, other] = says(BUILDS)(hosts[0]) ? hosts : [hosts[1], hosts[0]];
    const until = performance.now() + heldMs;
    while (performance.now() < until) {
      for (const host of hosts) await expectOnlySchema(host);
      await pause(CHECK_EVERY_MS);
    }
    print("both hosts are there, and none serves");

    builder.signal("SIGKILL");
    await builder.ended;
    const killedAt = performance.now();
    await eventually(() => says(BUILDS)(other), {
      withinMs: TAKEN_OVER_WITHIN_MS,
      what: "the other host takes over",
    });
    const takenOverMs = Math.round(performance.now() - killedAt);
    print(`taken over after ${takenOverMs} ms`);

    const revive = await set.killPrimary();
    const lostAt = performance.now();
    await other.ready(READY_WITHIN_MS);
    const readyMs = Math.round(performance.now() - lostAt);
    print(`ready ${readyMs} ms after the set lost its primary`);
    const refused = await users.insertOne({ ...userOf(0), _id: "another" }).catch((err: unknown) => err);
    if (!isDuplicateKey(refused)) throw new Error(`The unique rule isn't enforced: ${String(refused)}`);

    const again = await startHost();
    await again.ready(READY_WITHIN_MS);
    if (says(BUILDS)(again)) throw new Error("A host built indexes that were there");
    revive();
    await set.whole();
    return { documents, heldMs, takenOverMs, readyMs };
  } finally {
    await end();
    await client.close();
    await set.close();
  }
}

const userOf = (i: number) => ({ _id: `u${i}`, username: `user${i}`, emailKey: `e${i}` });

const says = (line: string) => (host: Service) => host.output().includes(line);

/** Throws when the host has ended, or serves. */
async function expectOnlySchema(host: Service): Promise<void> {
  const response = await fetch(`${host.internal}/readyz`);
  const { checks }: { checks: Record<string, string> } = JSON.parse(await response.text());
  const kinds = host.workers().map(({ kind }) => kind);
  if (response.status === 503 && checks.api === "0/1" && kinds.join() === "schema") return;
  throw new Error(`A host began to serve: ${response.status} ${JSON.stringify(checks)}, ${kinds}`);
}
