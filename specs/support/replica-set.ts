import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { freePort } from "../../deploy/development/stores/ports.ts";
import { findProgram } from "../../deploy/development/stores/programs.ts";
import { mongodRecipe } from "../../deploy/installation/needed-stores.mjs";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { eventually } from "./eventually.ts";

const NAME = "spec";
/** As is recommended (docs/actors.md): with the defaults of 10 s, a primary that dies would leave a gap of eleven. */
const SETTINGS = { electionTimeoutMillis: 2_000, heartbeatTimeoutSecs: 2 };
const STARTS_WITHIN_MS = 30_000;

type Member = { host: string; port: number; data: string; process: ChildProcess | null };

export type ReplicaSet = Awaited<ReturnType<typeof openReplicaSet>>;

/**
 * A MongoDB replica set for one spec, of three members by default, which can lose its primary. It ends with this process at the latest.
 * With `hasFailPoints`, an index build can be held up. `lastEnv`: more variables for the last member.
 */
export async function openReplicaSet({
  members: count = 3,
  hasFailPoints = false,
  lastEnv = {},
  settings = SETTINGS,
}: {
  members?: number;
  hasFailPoints?: boolean;
  lastEnv?: Record<string, string>;
  settings?: Record<string, number>;
} = {}) {
  const folder = mkdtempSync(join(tmpdir(), "livecore-replica-set-"));
  const program = await findProgram(mongodRecipe, {
    cache: join(projectRoot, ".livecore/cache"),
    env: process.env,
    fits: () => null,
    say: () => undefined,
    signal: new AbortController().signal,
  });
  const members = await Promise.all(Array.from({ length: count }, (_, i) => memberIn(folder, i)));
  const killAll = () => {
    for (const member of members) member.process?.kill("SIGKILL");
  };
  process.once("exit", killAll);
  const start = (member: Member) => {
    const env = member === members.at(-1) ? { ...process.env, ...lastEnv } : process.env;
    const more = hasFailPoints ? ["--setParameter", "enableTestCommands=1"] : [];
    member.process = spawn(program.path, [...argumentsOf(member), ...more], { stdio: "ignore", env });
  };
  const url = `mongodb://${members.map(({ host }) => host).join(",")}/?replicaSet=${NAME}`;

  for (const member of members) start(member);
  await Promise.all(
    members.map((member) => eventually(() => stateOf(member), { withinMs: STARTS_WITHIN_MS })),
  );
  await onMember(members[0], (client) =>
    client.db("admin").command({ replSetInitiate: setOf(members, settings) }),
  );
  const whole = async () => {
    const states = await Promise.all(members.map(stateOf));
    return states.filter((state) => state === "primary").length === 1 && !states.includes("other");
  };
  await eventually(whole, { withinMs: STARTS_WITHIN_MS, what: "a primary and its secondaries" });

  async function primary(): Promise<Member> {
    const states = await Promise.all(members.map((member) => stateOf(member).catch(() => "away")));
    const found = members[states.indexOf("primary")];
    if (!found) throw new Error(`no member is primary: ${states.join(", ")}`);
    return found;
  }

  return {
    url,
    /** Resolves when all members are up and one is primary. */
    whole: () => eventually(whole, { withinMs: STARTS_WITHIN_MS, what: "the set is whole again" }),
    /** Makes the primary step down, as an operator does before maintenance. */
    async stepDown(): Promise<void> {
      await onMember(await primary(), (client) =>
        client.db("admin").command({ replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5 }),
      );
    },
    /** Makes the first or the last member the primary, which it may be already. */
    async stepUp(which: "first" | "last"): Promise<void> {
      const member = members.at(which === "first" ? 0 : -1);
      await onMember(member, (client) => client.db("admin").command({ replSetStepUp: 1 }));
      await eventually(async () => (await primary()) === member, { withinMs: STARTS_WITHIN_MS });
    },
    primaryPort: async (): Promise<number> => (await primary()).port,
    /**
     * Cuts the primary off: all sockets to it stay open, and it answers neither clients nor members, as if every packet were
     * dropped. Returns a function that brings it back, with what it knew.
     */
    async freezePrimary(): Promise<() => void> {
      const { process: running } = await primary();
      running?.kill("SIGSTOP");
      return () => void running?.kill("SIGCONT");
    },
    /** Kills the primary; returns a function that starts it again. */
    async killPrimary(): Promise<() => void> {
      const member = await primary();
      await end(member);
      return () => start(member);
    },
    async close(): Promise<void> {
      await Promise.all(members.map(end));
      process.off("exit", killAll);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function memberIn(folder: string, i: number): Promise<Member> {
  const port = await freePort();
  const data = join(folder, String(i));
  mkdirSync(data);
  return { host: `127.0.0.1:${port}`, port, data, process: null };
}

const argumentsOf = ({ port, data }: Member): string[] => [
  ...["--port", String(port), "--bind_ip", "127.0.0.1", "--nounixsocket"],
  ...["--dbpath", data, "--replSet", NAME, "--quiet"],
  ...["--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "64"],
  ...["--setParameter", "diagnosticDataCollectionEnabled=false"],
];

const setOf = (members: Member[], settings: Record<string, number>) => ({
  _id: NAME,
  members: members.map(({ host }, _id) => ({ _id, host })),
  settings,
});

/** Rejects while the member doesn't answer. */
const stateOf = (member: Member): Promise<"primary" | "secondary" | "other"> =>
  onMember(member, async (client) => {
    const hello = await client.db("admin").command({ hello: 1 });
    if (hello.isWritablePrimary === true) return "primary";
    return hello.secondary === true ? "secondary" : "other";
  });

async function onMember<T>(member: Member | undefined, use: (client: MongoClient) => Promise<T>): Promise<T> {
  if (!member) throw new Error("there is no such member");
  const client = new MongoClient(`mongodb://${member.host}/`, {
    directConnection: true,
    serverSelectionTimeoutMS: 1_000,
    maxPoolSize: 1,
  });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

async function end({ process: running }: Member): Promise<void> {
  if (!running || running.exitCode !== null || running.signalCode !== null) return;
  const ended = new Promise((resolve) => running.once("exit", resolve));
  running.kill("SIGKILL");
  await ended;
}
