import { eventually } from "../../support/eventually.ts";
import { openCluster } from "../../support/own-cluster.ts";
import { openValkey } from "../../support/own-valkey.ts";

export type StoreKind = "single" | "cluster" | "cluster with replicas";

/** The Redis that a whole service runs on: one server, or a cluster, in which a replica may follow each master. */
export type Store = {
  url: string;
  /** Which shards share a server: those with the same answer do. */
  serverOf(shard: number): Promise<number>;
  /** Kills the server of a shard; what it gives back brings it back with its data, or waits for its replica. */
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
