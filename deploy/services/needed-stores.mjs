// Which stores livecore needs, and whether this system can have them. Plain JavaScript: the start asks before anything is installed.
import { spawnSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** The programs that can be fetched run here; the glibc is what MongoDB's needs. */
export const FETCHED_FOR = { system: "linux x64", glibc: "2.34" };

const VERSION_WITHIN_MS = 15_000;

export const MONGODB = {
  title: "MongoDB",
  commands: ["mongod"],
  variable: "MONGODB_URL",
  oldest: 6,
  recognise(output) {
    const version = /^db version v(\d+\.\d+\.\d+)/m.exec(output)?.[1];
    return version !== undefined && Number.parseInt(version, 10) >= MONGODB.oldest
      ? { product: "MongoDB", version }
      : null;
  },
};

export const VALKEY = {
  title: "Valkey",
  commands: ["valkey-server", "redis-server"],
  variable: "REDIS_URL",
  // Rooms need stream commands and script features of version 7.
  oldest: 7,
  recognise(output) {
    const [, product, version] = /^(Valkey|Redis) server v=(\d+\.\d+\.\d+)/m.exec(output) ?? [];
    if (product === undefined || version === undefined) return null;
    return Number.parseInt(version, 10) >= VALKEY.oldest ? { product, version } : null;
  },
};

/**
 * Returns what to do, in three lines, when a store can neither be fetched for this system, nor is given by its variable, nor is on PATH
 * in a version that fits; else null.
 */
export function lackOfStores({ system, glibc }, env) {
  const isFetched =
    system === FETCHED_FOR.system && glibc !== null && minorOf(glibc) >= minorOf(FETCHED_FOR.glibc);
  if (isFetched) return null;
  const missing = [MONGODB, VALKEY].filter((store) => !env[store.variable] && !isOnPath(store, env.PATH));
  if (missing.length === 0) return null;
  const here = glibc === null ? system : `${system} with glibc ${glibc}`;
  const wanted = missing
    .map(({ commands, oldest }) => `${commands.join(" or ")} (version ${oldest} or newer)`)
    .join(" and ");
  const titles = missing.map(({ title }) => title).join(" and ");
  return [
    `${titles}: none can be fetched for ${here}, only for Linux x64 with glibc ${FETCHED_FOR.glibc} or newer. Nothing was installed.`,
    `Either run them in containers: docker compose up --wait, then start with the variables that compose.yaml names at its top.`,
    `Or put ${wanted} on PATH, and start again.`,
  ].join("\n");
}

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
