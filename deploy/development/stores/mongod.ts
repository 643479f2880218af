/**
 * How a mongod of our own is protected. It requires a password from the start, also for data that an older version created
 * without one:
 * 1. Its key file holds the password; who knows it may act as the server itself (`__system`).
 * 2. As `__system` we create or reconfigure the one-member replica set, and then the user that the service signs in as.
 * 3. MongoDB's own bootstrap, the localhost exception by which anybody on this machine may create the first user, is
 *    disabled: another user could be first.
 */
import { type Db, MongoClient, MongoServerError } from "mongodb";

const REPLICA_SET = "rs0";
const USER = "livecore";
const AUTHENTICATION_FAILED = 18;
const USER_EXISTS = 51_003;

export function mongodArguments(of: {
  port: number;
  data: string;
  keyFile: string;
  throwaway: boolean;
}): string[] {
  const { port, data, keyFile, throwaway } = of;
  return [
    ...["--port", String(port), "--bind_ip", "127.0.0.1", "--nounixsocket"],
    ...["--dbpath", data, "--replSet", REPLICA_SET, "--quiet"],
    ...["--keyFile", keyFile, "--setParameter", "enableLocalhostAuthBypass=false"],
    ...["--wiredTigerCacheSizeGB", "0.5", "--oplogSize", throwaway ? "64" : "512"],
    ...["--setParameter", "diagnosticDataCollectionEnabled=false"],
    // None of our transactions may take longer than 5 s; one that does belongs to a process that died, and holds locks.
    ...["--setParameter", "transactionLifetimeLimitSeconds=10"],
  ];
}

export const mongodUrl = (port: number, password: string): string =>
  `mongodb://${USER}:${password}@${host(port)}/?replicaSet=${REPLICA_SET}&authSource=admin`;

/**
 * Resolves when it is the primary of its one-member set and our user can sign in. At the first start it creates the set and
 * the user;
 * when the port has changed it updates the set. Rejects while it isn't ready yet; safe to repeat.
 */
export async function mongodReady(port: number, password: string): Promise<void> {
  if (await isReady(port, password)) return;
  await as("__system", "local", port, password, async (admin) => {
    await joinOwnSet(admin, port);
    await admitUser(admin, password);
  });
  throw new Error("mongod isn't the primary of its set yet");
}

const host = (port: number): string => `127.0.0.1:${port}`;

async function isReady(port: number, password: string): Promise<boolean> {
  try {
    return await as(USER, "admin", port, password, async (admin) => isPrimary(admin, port));
  } catch (err) {
    if (err instanceof MongoServerError && err.code === AUTHENTICATION_FAILED) return false;
    throw err;
  }
}

async function isPrimary(admin: Db, port: number): Promise<boolean> {
  const hello = await admin.command({ hello: 1 });
  return hello.isWritablePrimary === true && hello.me === host(port);
}

/** Signs in and calls `use` with the admin database; rejects with MongoDB's AuthenticationFailed when the sign-in is refused. */
async function as<T>(
  username: string,
  authSource: string,
  port: number,
  password: string,
  use: (admin: Db) => Promise<T>,
): Promise<T> {
  const client = new MongoClient(`mongodb://${host(port)}/`, {
    auth: { username, password },
    authSource,
    directConnection: true,
    serverSelectionTimeoutMS: 2_000,
    socketTimeoutMS: 10_000,
    maxPoolSize: 2,
  });
  try {
    await client.connect();
    return await use(client.db("admin"));
  } finally {
    await client.close();
  }
}

async function joinOwnSet(admin: Db, port: number): Promise<void> {
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
    // A short election timeout: with one member there is nobody to wait for.
    const settings = { electionTimeoutMillis: 1_000 };
    await admin.command({ replSetInitiate: { _id: REPLICA_SET, members, settings } });
  }
}

/** Creates our user or sets its password; fails while there is no primary. */
async function admitUser(admin: Db, password: string): Promise<void> {
  try {
    await admin.command({ createUser: USER, pwd: password, roles: ["root"] });
  } catch (err) {
    if (!(err instanceof MongoServerError) || err.code !== USER_EXISTS) throw err;
    await admin.command({ updateUser: USER, pwd: password });
  }
}
