import { setTimeout as pause } from "node:timers/promises";
import type { Redis } from "ioredis";
import { connectRedis } from "../../../store/redis/connect.ts";
import { eventually } from "../../support/eventually.ts";
import { type OwnValkey, openValkey } from "../../support/own-valkey.ts";
import { openTcpProxy } from "../../support/tcp-proxy.ts";

/** A master and its replica behind one address, which leads to the replica after its promotion. */
export async function openRedisPair() {
  const master = await openValkey();
  const replica = await openValkey();
  const link = await openTcpProxy(portOf(master));
  const front = await openTcpProxy(portOf(master));
  const asMaster = connect(master);
  const asReplica = connect(replica);
  await Promise.all([asMaster.connect(), asReplica.connect()]);
  // By default a master waits 5 s for more replicas.
  await asMaster.config("SET", "repl-diskless-sync-delay", "0");
  // Both accept the master's password, for replication and for clients that are redirected.
  await asReplica.config("SET", "masterauth", passwordOf(master));
  await asReplica.config("SET", "requirepass", passwordOf(master));
  await asReplica.replicaof("127.0.0.1", link.port);

  const isInSync = async () => {
    const [mine, its] = await Promise.all([replicationOf(asMaster), replicationOf(asReplica)]);
    return (
      its.get("master_link_status") === "up" &&
      its.get("master_repl_offset") === mine.get("master_repl_offset")
    );
  };
  await eventually(isInSync, { withinMs: 20_000, what: "the replica has what the master has" });

  return {
    url: Object.assign(new URL(master.url), { port: front.port }).href,
    /** Cuts replication for `behindMs`, then kills the master together with what wasn't replicated, and promotes the replica. */
    async failOver(behindMs: number): Promise<void> {
      link.hold();
      await pause(behindMs);
      asMaster.disconnect();
      await master.kill();
      await asReplica.replicaof("NO", "ONE");
      front.forwardTo(portOf(replica));
    },
    async close(): Promise<void> {
      for (const connection of [asMaster, asReplica]) connection.disconnect();
      await Promise.all([link.close(), front.close()]);
      await Promise.all([master.close(), replica.close()]);
    },
  };
}

const portOf = ({ url }: OwnValkey): number => Number(new URL(url).port);

const passwordOf = ({ url }: OwnValkey): string => new URL(url).password;

const connect = ({ url }: OwnValkey): Redis =>
  connectRedis({ url, deadlineMs: 5_000, onError: () => undefined });

async function replicationOf(redis: Redis): Promise<Map<string, string>> {
  const lines = (await redis.info("replication")).split("\r\n");
  return new Map(
    lines.flatMap((line) =>
      line.includes(":") ? [[line.split(":")[0] ?? "", line.split(":")[1] ?? ""]] : [],
    ),
  );
}
