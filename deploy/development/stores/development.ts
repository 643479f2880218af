import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../../../base/log.ts";
import { mongodRecipe, type Recipe, valkeyRecipe } from "../../installation/needed-stores.mjs";
import { identify } from "../../processes/process/process-record.ts";
import { makePrivate, writePrivate } from "../home/home.ts";
import { openDataFolder } from "./data-folder.ts";
import { keepRunning } from "./keep-running.ts";
import { mongodArguments, mongodReady, mongodUrl } from "./mongod.ts";
import { findProgram } from "./programs.ts";
import type { SetUp } from "./set-up.ts";
import { type StorePassword, storePassword } from "./store-password.ts";
import { type StoreProcess, startStoreProcess, stop } from "./store-process.ts";
import { valkeyArguments, valkeyConfiguration, valkeyReady, valkeyUrl } from "./valkey.ts";

export type DevelopmentServices = {
  /** Both URLs contain the password of a store that was started here. */
  mongodbUrl: string;
  redisUrl: string;
  /** Stops what was started here, the youngest first, and removes a throwaway folder. Idempotent. */
  stop(): Promise<void>;
  /** Sends them SIGTERM without waiting, for an immediate exit. */
  terminate(): void;
};

type Kind = {
  name: string;
  recipe: Recipe;
  /** They hold no secrets: all users of the machine can see a process's arguments. */
  arguments: (of: {
    port: number;
    folder: string;
    data: string;
    password: StorePassword;
    throwaway: boolean;
  }) => string[];
  ready: (port: number, password: string) => Promise<void>;
  url: (port: number, password: string) => string;
};

const MONGODB: Kind = {
  name: "mongodb",
  recipe: mongodRecipe,
  arguments: ({ port, data, password, throwaway }) =>
    mongodArguments({ port, data, keyFile: password.file, throwaway }),
  ready: mongodReady,
  url: mongodUrl,
};
const VALKEY: Kind = {
  name: "valkey",
  recipe: valkeyRecipe,
  arguments({ port, folder, data, password, throwaway }) {
    const configFile = join(folder, "valkey.conf");
    writePrivate(configFile, valkeyConfiguration(password.value));
    return valkeyArguments({ port, data, configFile, throwaway });
  },
  ready: valkeyReady,
  url: valkeyUrl,
};

/**
 * The stores for development and specs, on free ports of this machine. Stores that `env` points at already (MONGODB_URL,
 * REDIS_URL) are used as they are. Data persists in `home`; with `throwaway` it belongs to this process and is removed by `stop`.
 * With `supervisedBy`, a logger, a store that dies is started again.
 * Throws a StartError that says what to do, and leaves nothing half-started.
 */
export async function startDevelopmentServices(
  options: SetUp & { home: string; throwaway?: boolean; supervisedBy?: Log },
): Promise<DevelopmentServices> {
  const { home, env, throwaway = false } = options;
  makePrivate(home);
  const throwaways = join(home, "throwaway");
  if (throwaway) await sweepThrowaways(throwaways);
  const place = throwaway ? join(throwaways, String(process.pid)) : home;
  const running: Pick<StoreProcess, "stop" | "terminate">[] = [];
  const start = async (kind: Kind): Promise<string> => {
    const { store, url } = await startStore(kind, join(place, kind.name), {
      ...options,
      cache: join(home, "cache"),
      throwaway,
    });
    running.push(store);
    return url;
  };

  let stopping: Promise<void> | null = null;
  const stopAll = async () => {
    for (let store = running.pop(); store !== undefined; store = running.pop()) await store.stop();
    if (throwaway) rmSync(place, { recursive: true, force: true });
  };
  try {
    return {
      mongodbUrl: env.MONGODB_URL || (await start(MONGODB)),
      redisUrl: env.REDIS_URL || (await start(VALKEY)),
      stop() {
        stopping ??= stopAll();
        return stopping;
      },
      terminate() {
        for (const store of running) store.terminate();
      },
    };
  } catch (err) {
    await stopAll();
    throw err;
  }
}

async function startStore(
  kind: Kind,
  folder: string,
  options: SetUp & { cache: string; throwaway: boolean; supervisedBy?: Log },
): Promise<{ store: Pick<StoreProcess, "stop" | "terminate">; url: string }> {
  makePrivate(folder);
  const { title, variable } = kind.recipe;
  const data = openDataFolder(folder, title, variable);
  const password = storePassword(folder);
  const argumentsOn = (port: number) =>
    kind.arguments({ port, folder, data: data.path, password, throwaway: options.throwaway });
  const settings = {
    title,
    folder,
    say: options.say,
    signal: options.signal,
    lastPort: data.lastPort,
    ready: (port: number) => kind.ready(port, password.value),
    async command(port: number) {
      const program = await findProgram(kind.recipe, { ...options, fits: data.fits });
      data.stamp(program, port);
      return { path: program.path, args: argumentsOn(port) };
    },
  };
  const store = await startStoreProcess(settings);
  const url = kind.url(store.port, password.value);
  const log = options.supervisedBy;
  if (!log) return { store, url };
  const again = { ...settings, lastPort: store.port, mustKeepPort: true };
  const keeping = keepRunning({ title, log }, store, (signal) => startStoreProcess({ ...again, signal }));
  const { terminate } = store;
  return {
    url,
    store: {
      terminate,
      async stop() {
        await keeping.stop();
        await store.stop();
      },
    },
  };
}

/** Stops and removes the stores of spec runs that were killed before they could do so. */
async function sweepThrowaways(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder)) {
    const owner = Number(entry);
    if (owner === process.pid || !Number.isInteger(owner) || identify(owner) !== null) continue;
    for (const { name } of [MONGODB, VALKEY]) await stop(join(folder, entry, name, "process.json"));
    rmSync(join(folder, entry), { recursive: true, force: true });
  }
}
