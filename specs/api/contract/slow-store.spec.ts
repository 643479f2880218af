// @waits: for requests that are refused after a second
import { expect } from "chai";
import { mongodAddress, throughProxy } from "../../support/mongod-address.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { openStores } from "../../support/stores.ts";
import { openTcpProxy } from "../../support/tcp-proxy.ts";

const SLOTS = 4;
const REQUESTS = 80;

describe("REST on a database that is slower than its load", () => {
  let proxy: Awaited<ReturnType<typeof openTcpProxy>>;
  before(async () => {
    proxy = await openTcpProxy(Number(mongodAddress().port));
  });
  const { world, given } = setUpWorld(() => ({
    requestSlots: SLOTS,
    stores: () => openStores(undefined, { mongodbUrl: throughProxy(mongodAddress(), proxy.port) }),
  }));
  // After the world's own hook, which still needs it.
  after(() => proxy.close());

  it("serves what it can, refuses the rest after a second, and answers health checks at once", async () => {
    const person = await given.user();
    const answered: string[] = [];
    const me = async () => {
      const { status, headers } = await person.api.call("getMe");
      answered.push(String(status));
      return { status, retryAfter: headers.get("retry-after") };
    };
    await me();

    proxy.slowDown({ bytesPerMs: 2 });
    const sent = Array.from({ length: REQUESTS }, me);
    const health = await world.api.call("getHealth");
    const answeredBefore = answered.length;
    const answers = await Promise.all(sent);
    proxy.slowDown({ bytesPerMs: Number.POSITIVE_INFINITY });
    const after = await Promise.all(Array.from({ length: SLOTS }, me));

    const refusals = answers.filter(({ status }) => status === 503);
    expect([...new Set(answers.map(({ status }) => status))].sort()).deep.equal([200, 503]);
    expect(answers.length - refusals.length, "those served").least(SLOTS);
    for (const { retryAfter } of refusals) expect(Number(retryAfter)).within(1, 3);
    expect([health.status, answeredBefore]).deep.equal([200, 1]);
    expect(after.map(({ status }) => status)).deep.equal(Array(SLOTS).fill(200));
  });
});
