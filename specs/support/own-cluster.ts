import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { freePorts } from "../../deploy/development/stores/ports.ts";
import { findProgram } from "../../deploy/development/stores/programs.ts";
import { valkeyRecipe } from "../../deploy/installation/needed-stores.mjs";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { keys } from "../../store/redis/keys.ts";
import { eventually } from "./eventually.ts";

const MASTERS = 3;
const SLOTS = 16_384;
const STARTS_WITHIN_MS = 30_000;
/** A node that is silent for this long counts as lost, and a replica of it takes over. */
const NODE_TIMEOUT_MS = 2_000;

type Node = { port: number; busPort: number; data: string; process: ChildProcess | null };

export type OwnCluster = Awaited<ReturnType<typeof openCluster>>;

/**
 * A Valkey Cluster of three masters for one spec, each with a replica if `withReplicas`. Acknowledged writes survive the end
 * of a process.
 * It ends with this process at the latest.
 */
export async function openCluster({ withReplicas = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "livecore-cluster-"));
  const program = await findProgram(valkeyRecipe, {
    cache: join(projectRoot, ".livecore/cache"),
    env: process.env,
    fits: () => null,
    say: () => undefined,
    signal: new AbortController().signal,
  });
  const count = withReplicas ? 2 * MASTERS : MASTERS;
  const ports = await freePorts(2 * count);
  const nodes = Array.from({ length: count }, (_, i): Node => {
    const data = join(folder, String(i));
    mkdirSync(data);
    return { port: ports[2 * i] ?? 0, busPort: ports[2 * i + 1] ?? 0, data, process: null };
  });
  const start = (node: Node) => {
    node.process = spawn(program.path, argumentsOf(node), { stdio: "ignore" });
  };
  const killAll = () => {
    for (const node of nodes) node.process?.kill("SIGKILL");
  };
  process.once("exit", killAll);

  for (const node of nodes) start(node);
  await Promise.all(nodes.map((node) => eventually(() => answers(node), { withinMs: STARTS_WITHIN_MS })));
  await meet(nodes);
  const whole = () =>
    eventually(async () => (await Promise.all(nodes.map(isWhole(count)))).every(Boolean), {
      withinMs: STARTS_WITHIN_MS,
      what: "every node sees a whole cluster",
    });
  await whole();

  async function masterOf(shard: number): Promise<Node> {
    const seed = nodes.find(isRunning);
    if (!seed) throw new Error("no node of this spec's cluster runs");
    const address = await on(seed, async (redis) => {
      const slot = Number(await redis.cluster("KEYSLOT", keys.shardLive(shard)));
      const ranges = await redis.cluster("SLOTS");
      return Array.isArray(ranges) ? portOf(ranges, slot) : null;
    });
    const found = nodes.find(({ port }) => port === address);
    if (!found) throw new Error(`nobody has shard ${shard}`);
    return found;
  }

  return {
    url: `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(",")}`,
    /** The port of the master that holds a shard's rooms, according to the cluster itself. */
    masterOf: async (shard: number): Promise<number> => (await masterOf(shard)).port,
    /** Kills the master of a shard's rooms; returns a function that starts it again, with its data. */
    async killMasterOf(shard: number): Promise<() => void> {
      const master = await masterOf(shard);
      await end(master);
      return () => start(master);
    },
    /** Freezes the master: it keeps its connections and doesn't answer. Returns a function that resumes it. */
    async freezeMasterOf(shard: number): Promise<() => void> {
      const { process: frozen } = await masterOf(shard);
      frozen?.kill("SIGSTOP");
      return () => void frozen?.kill("SIGCONT");
    },
    /** Resolves when every node answers and sees all slots. */
    whole,
    async close(): Promise<void> {
      await Promise.all(nodes.map(end));
      process.off("exit", killAll);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const argumentsOf = ({ port, busPort, data }: Node): string[] => [
  ...["--port", String(port), "--bind", "127.0.0.1", "--dir", data, "--save", ""],
  ...["--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction"],
  ...["--cluster-enabled", "yes", "--cluster-port", String(busPort)],
  ...["--cluster-node-timeout", String(NODE_TIMEOUT_MS), "--cluster-require-full-coverage", "no"],
];

/** The first three nodes share the slots equally; each of the others replicates one of them. */
async function meet(nodes: readonly Node[]): Promise<void> {
  const [first] = nodes;
  if (!first) throw new Error("a cluster has nodes");
  await on(first, async (redis) => {
    for (const { port, busPort } of nodes.slice(1)) await redis.cluster("MEET", "127.0.0.1", port, busPort);
  });
  for (const [i, node] of nodes.slice(0, MASTERS).entries()) {
    const [from, to] = [Math.round((i * SLOTS) / MASTERS), Math.round(((i + 1) * SLOTS) / MASTERS) - 1];
    await on(node, (redis) => redis.cluster("ADDSLOTSRANGE", from, to));
  }
  for (const [i, node] of nodes.slice(MASTERS).entries()) {
    const id = await onSure(nodes[i], (redis) => redis.cluster("MYID"));
    // It has to know its master first.
    await eventually(() => on(node, (redis) => redis.cluster("REPLICATE", String(id))), {
      withinMs: STARTS_WITHIN_MS,
    });
  }
}

const isRunning = ({ process: running }: Node): boolean =>
  running !== null && running.exitCode === null && running.signalCode === null;

const answers = (node: Node) => on(node, (redis) => redis.ping());

const isWhole = (count: number) => (node: Node) =>
  on(node, async (redis) => {
    const info = String(await redis.cluster("INFO"));
    const replication = await redis.info("replication");
    // A replica that still syncs couldn't take over yet.
    return (
      /role:master|master_link_status:up/.test(replication) &&
      info.includes("cluster_state:ok") &&
      info.includes(`cluster_slots_ok:${SLOTS}`) &&
      info.includes(`cluster_known_nodes:${count}`)
    );
  });

/** The port of a slot's master in the answer to CLUSTER SLOTS: [from, to, [host, port, …], …]. */
function portOf(ranges: unknown[], slot: number): number | null {
  for (const range of ranges) {
    if (!Array.isArray(range)) continue;
    const [from, to, master]: unknown[] = range;
    if (Number(from) <= slot && slot <= Number(to) && Array.isArray(master)) return Number(master[1]);
  }
  return null;
}

const onSure = <T>(node: Node | undefined, use: (redis: Redis) => Promise<T>): Promise<T> =>
  node ? on(node, use) : Promise.reject(new Error("there is no such node"));

async function on<T>({ port }: Node, use: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis({
    host: "127.0.0.1",
    port,
    lazyConnect: true,
    connectTimeout: 1_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  redis.on("error", () => undefined); // the command rejects with it
  try {
    return await use(redis);
  } finally {
    redis.disconnect();
  }
}

async function end(node: Node): Promise<void> {
  const { process: running } = node;
  if (!running || !isRunning(node)) return;
  const ended = new Promise((resolve) => running.once("exit", resolve));
  running.kill("SIGKILL");
  await ended;
}
