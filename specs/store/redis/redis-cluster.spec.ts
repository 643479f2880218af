// @waits: for a master that hangs.
import { expect } from "chai";
import { ServiceError } from "../../../contract/errors.ts";
import { clusterAddress } from "../../../store/redis/address.ts";
import { keys } from "../../../store/redis/keys.ts";
import { nodeOf, type RedisConnection } from "../../../store/redis/nodes.ts";
import { openRedis } from "../../../store/redis/open.ts";
import { serverRuns } from "../../../store/redis/server-run.ts";
import { eventually } from "../../support/eventually.ts";
import { type OwnCluster, openCluster } from "../../support/own-cluster.ts";

describe("A Redis Cluster's address", () => {
  it("names some nodes, who we are there, and whether the line is encrypted", () => {
    expect(clusterAddress("redis+cluster://10.0.0.1:7000,[::1]:7001,valkey")).deep.equal({
      seeds: [
        { host: "10.0.0.1", port: 7000 },
        { host: "::1", port: 7001 },
        { host: "valkey", port: 6379 },
      ],
      options: {},
    });
    expect(clusterAddress("rediss+cluster://me:p%40ss@a:1,b:2")?.options).deep.equal({
      username: "me",
      password: "p@ss",
      tls: {},
    });
    expect(clusterAddress("redis+cluster://:secret@a:1")?.options).deep.equal({ password: "secret" });
  });

  it("is not that of a single server", () => {
    expect(clusterAddress("redis://127.0.0.1:6379/0")).equal(null);
  });

  for (const url of ["redis+cluster://", "redis+cluster://a:1,,b:2", "redis+cluster://a:port"]) {
    it(`can't be read when it is ${url}`, () => {
      expect(() => clusterAddress(url)).throw(/must be a cluster's address|no host:port/);
    });
  }
});

describe("A connection to a Redis Cluster", function () {
  this.timeout(60_000);
  const DEADLINE_MS = 150;
  const shards = [...Array(16).keys()];
  let cluster: OwnCluster;
  let redis: RedisConnection;
  let lost: number[];
  let others: number[];

  before(async () => {
    cluster = await openCluster();
    redis = await openRedis({ url: cluster.url, deadlineMs: DEADLINE_MS, onError: () => undefined });
    const masters = await Promise.all(shards.map(cluster.masterOf));
    lost = shards.filter((shard) => masters[shard] === masters[0]);
    others = shards.filter((shard) => masters[shard] !== masters[0]);
  });
  after(async () => {
    redis?.disconnect();
    await cluster?.close();
  });

  const keyIn = (shard: number) => `${keys.shardLive(shard)}:spec`;
  const refusalOf = async (shard: number) => {
    const startedAt = performance.now();
    const err = await redis.set(keyIn(shard), "1").then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(err, "a refusal").instanceOf(Error);
    return performance.now() - startedAt;
  };

  it("refuses what a dead master holds, at once, and nothing else", async () => {
    const runs = serverRuns(redis);
    const before = await runs.current(keyIn(0));
    const elsewhere = await runs.current(keyIn(others[0] ?? 0));

    const startAgain = await cluster.killMasterOf(0);

    for (const shard of lost) expect(await refusalOf(shard)).below(DEADLINE_MS + 100);
    for (const shard of others) expect(await redis.set(keyIn(shard), "1")).equal("OK");
    expect(() => nodeOf(redis, keyIn(0))).throw(ServiceError);

    startAgain();
    await eventually(() => redis.set(keyIn(0), "1"), { withinMs: 20_000 });
    expect((await runs.current(keyIn(0))).id, "the run of the server that came back").not.equal(before.id);
    expect((await runs.current(keyIn(others[0] ?? 0))).id).equal(elsewhere.id);
    runs.close();
  });

  it("waits no longer than its deadline for a master that hangs, and then not at all", async () => {
    await eventually(() => redis.set(keyIn(0), "1"), { withinMs: 20_000 });
    const thaw = await cluster.freezeMasterOf(0);

    expect(await refusalOf(0)).within(DEADLINE_MS - 10, DEADLINE_MS + 400);
    expect(await refusalOf(0)).below(100);
    for (const shard of others) expect(await redis.set(keyIn(shard), "1")).equal("OK");

    thaw();
    await eventually(() => redis.set(keyIn(0), "1"), { withinMs: 20_000 });
  });
});
