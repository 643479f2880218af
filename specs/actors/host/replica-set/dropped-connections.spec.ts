// @waits: for the deadlines of a MongoDB whose packets are dropped.
import { expect } from "chai";
import { newId } from "../../../../base/ids.ts";
import { eventually } from "../../../support/eventually.ts";
import { givenChannels, type Person } from "../../../support/given-channels.ts";
import { mongodAddress, throughProxy } from "../../../support/mongod-address.ts";
import { openStores } from "../../../support/stores.ts";
import { openTcpProxy } from "../../../support/tcp-proxy.ts";
import { openWorld, type World } from "../../../support/world.ts";

/** As the service's own workers are set up (deploy/processes/workers/open-core.ts). */
const SELECTION_MS = 3_000;
/** An attempt ends after 1.5 s, and the next one takes new connections; a connection without an answer would take 3 s. */
const NEXT_ATTEMPT_WITHIN_MS = 2_800;
/** A member is given up three seconds after its last sign of life, with all connections to it. */
const GIVEN_UP_WITHIN_MS = 4_500;
/** More than are used at once: the driver's own retry takes another one of them. */
const OPEN_CONNECTIONS = 30;
/** A request's own deadline, and then what it does before it begins to write. */
const ANSWERED_WITHIN_MS = 10_000;
const BETTORS = 8;

describe("a MongoDB whose packets are dropped with the sockets open", function () {
  this.timeout(60_000);
  let proxy: Awaited<ReturnType<typeof openTcpProxy>>;
  let world: World;
  let bettors: Person[];
  let bet: (person: Person, key: string) => Promise<number>;
  before(async () => {
    const mongod = mongodAddress();
    proxy = await openTcpProxy(Number(mongod.port));
    const mongodbUrl = throughProxy(mongod, proxy.port);
    const database = `livecore_spec_dropped_${process.pid}`;
    world = await openWorld({
      stores: () => openStores(database, { mongodbUrl, selectionTimeoutMs: SELECTION_MS }),
    });
    const given = givenChannels(world);
    const { owner, at } = await given.channel();
    const prediction = await owner.api.ok("createPrediction", {
      params: at,
      body: { title: "?", outcomes: [{ title: "yes" }, { title: "no" }], duration_seconds: 1_800 },
    });
    bettors = await Promise.all(Array.from({ length: BETTORS }, () => given.user()));
    for (const { id } of bettors) {
      const gift = { userId: id, channelUserId: owner.id, key: `gift:${id}`, delta: 1_000, ref: null };
      await world.core.points.earn({ ...gift, reason: "presence" });
    }
    bet = async ({ api }, key) => {
      const answer = await api.call("placeBet", {
        params: { prediction_id: prediction.id },
        body: { outcome_id: prediction.outcomes[0]?.id ?? "", amount: 1 },
        headers: { "idempotency-key": key },
      });
      return answer.status;
    };
  });
  beforeEach(async () => {
    const key = newId();
    await eventually(() => isTaken(key), { what: "all bets are taken" });
  });
  afterEach(() => proxy.release());
  after(async () => {
    await world.close();
    await proxy.close();
  });

  /** Whether all bets with that key are acknowledged, now or before. */
  const isTaken = async (key: string) => (await allBet(key)).every((status) => status === 200);
  const allBet = (key: string) => Promise.all(bettors.map((person) => bet(person, `${key}:${person.id}`)));

  it("delays bets by one attempt when connections are dropped that were open", async () => {
    proxy.forgetConnections();
    const from = performance.now();
    const key = newId();
    // Bets that wait behind others for a second are refused, and succeed when they are repeated.
    await eventually(() => isTaken(key), { withinMs: 10_000, what: "all bets are taken" });

    expect(performance.now() - from).below(NEXT_ATTEMPT_WITHIN_MS);
  });

  it("delays reads until it is given up, however many dropped connections were open", async () => {
    const { db } = world.core.mongo;
    await Promise.all(Array.from({ length: OPEN_CONNECTIONS }, () => db.command({ ping: 1 })));
    proxy.forgetConnections();
    const from = performance.now();
    const { status } = await world.api.call("listCategories", { query: {} });

    expect(status).equal(200);
    expect(performance.now() - from).below(GIVEN_UP_WITHIN_MS);
  });

  it("refuses bets in time while it is cut off, and takes them once it is back", async () => {
    proxy.blackHole();
    const from = performance.now();
    const refused = await allBet("cut");
    expect(new Set(refused)).deep.equal(new Set([503]));
    expect(performance.now() - from).below(ANSWERED_WITHIN_MS);

    proxy.release();
    await eventually(() => isTaken("cut"), {
      withinMs: 2_000,
      what: "bets are taken again",
    });
  });
});
