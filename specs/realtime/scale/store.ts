import { eventually } from "../../support/eventually.ts";
import { openCluster } from "../../support/own-cluster.ts";
import { openValkey } from "../../support/own-valkey.ts";

export type StoreKind = "single" | "cluster" | "cluster with replicas";

/** The Redis of a whole service: one server, or a cluster, optionally with a replica per master. */
export type Store = {
  url: string;
  /** Identifies a shard's server: shards with the same answer share one. */
  serverOf(shard: number): Promise<number>;
  /** Kills a shard's server; returns a function that restarts it with its data, or waits for its replica to take over first. */
  kill(shard: number): Promise<() => Promise<void>>;
  close(): Promise<void>;
};

export function openStore(kind: StoreKind): Promise<Store> {
  return kind === "single" ? openAlone() : openClustered(kind === "cluster with replicas");
}

async function openClustered(withReplicas: boolean): Promise<Store> {
  const { url, masterOf, killMasterOf, whole, close } = await openCluster({ withReplicas });
  return {
    url,
    serverOf: masterOf,
    async kill(shard) {
      const killed = await masterOf(shard);
      const startAgain = await killMasterOf(shard);
      return async () => {
        const isTakenOver = async () => (await masterOf(shard)) !== killed;
        if (withReplicas) await eventually(isTakenOver, { withinMs: 20_000, what: "a replica takes over" });
        startAgain();
        await whole();
      };
    },
    close,
  };
}

async function openAlone(): Promise<Store> {
  const valkey = await openValkey();
  return {
    url: valkey.url,
    serverOf: async () => 0,
    async kill() {
      await valkey.kill();
      return () => valkey.startAgain();
    },
    close: () => valkey.close(),
  };
}
