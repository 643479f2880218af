import { MongoNetworkError } from "mongodb";
import { type Actors, createActors } from "../../../../actors/actors.ts";
import { silentMeter } from "../../../../base/metrics.ts";
import { unavailable } from "../../../../contract/errors.ts";
import { connectMongo } from "../../../../store/mongo/driver/connect.ts";
import { quietLog } from "../../../support/quiet-log.ts";
import { type Paying, payingOf } from "../../monetization/payments/paying.ts";
import type { World } from "../world.ts";

/** A fault of a process, at its n-th commit; or, for one that dies at a command, before it or after its answer. */
export type Fault = {
  kind: "dies at a command" | "dies after a commit" | "commit fails" | "answer lost";
  at: number;
};

export type Process = Pick<Actors, "rewards" | "redemptions" | "predictions" | "points" | "host"> & {
  paying: Paying;
};

type FailingProcess = Awaited<ReturnType<typeof startFailingProcess>>;

export const isFailing = (process: Process | FailingProcess): process is FailingProcess => "died" in process;

/**
 * A process with its own connection and a fault. A dead one never answers again: its connections are cut wherever they are,
 * and nobody waits for it.
 */
export async function startFailingProcess(world: World, { kind, at }: Fault) {
  const mongo = await connectMongo({
    url: process.env.MONGODB_URL ?? "",
    database: world.mongo.db.databaseName,
    selectionTimeoutMs: 5_000,
    maxPoolSize: 10,
    monitorCommands: true,
  });
  const { client } = mongo;
  let die: () => void = () => undefined;
  const died = new Promise<null>((resolve) => {
    die = () => resolve(null);
  });
  let isDead = false;
  let left = at;
  const isDue = () => --left === 0;

  function dieNow(): void {
    isDead = true;
    die();
    void client.close(true).catch(() => undefined);
  }
  const pass = () => {
    if (kind === "dies at a command" && !isDead && isDue()) dieNow();
  };
  for (const event of ["commandStarted", "commandSucceeded"] as const) client.on(event, pass);

  const startSession = client.startSession.bind(client);
  client.startSession = (...options) => {
    const session = startSession(...options);
    const commit = session.commitTransaction.bind(session);
    session.commitTransaction = async (...args) => {
      const isBroken = kind !== "dies at a command" && !isDead && isDue();
      if (isBroken && kind === "commit fails") throw broken("TransientTransactionError");
      await commit(...args);
      if (isBroken && kind === "dies after a commit") dieNow();
      if (isBroken) throw broken("UnknownTransactionCommitResult");
    };
    return session;
  };

  const away = () => Promise.reject(unavailable());
  const { publishRoom, publishUsers } = world.deps;
  const log = quietLog();
  const actors = createActors({
    ...world.deps,
    mongo,
    log,
    meter: silentMeter(),
    publishRoom: (event) => (isDead ? away() : publishRoom(event)),
    publishUsers: (...event) => (isDead ? away() : publishUsers(...event)),
  });
  return {
    ...actors,
    paying: payingOf({ mongo, clock: world.clock, log, actors }),
    died,
    isDead: () => isDead,
    async end(): Promise<void> {
      if (!isDead) await actors.stop();
      await client.close(true);
    },
  };
}

function broken(label: string): MongoNetworkError {
  const error = new MongoNetworkError("the connection broke");
  error.addErrorLabel(label);
  return error;
}
