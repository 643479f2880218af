// @waits: for a database that doesn't answer.
import { expect } from "chai";
import { mongodAddress, throughProxy } from "../../support/mongod-address.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { openStores } from "../../support/stores.ts";
import { openTcpProxy } from "../../support/tcp-proxy.ts";

/** A port where nothing listens. */
const NOBODY = 1;

describe("getInstance while the database is unreachable", function () {
  this.timeout(30_000);
  let proxy: Awaited<ReturnType<typeof openTcpProxy>>;
  before(async () => {
    proxy = await openTcpProxy(Number(mongodAddress().port));
  });
  const { world } = setUpWorld(() => ({
    stores: () => openStores(undefined, { mongodbUrl: throughProxy(mongodAddress(), proxy.port) }),
  }));
  after(() => proxy.close());

  it("describes the instance all the same, and gives no hint to make staff", async () => {
    proxy.forwardTo(NOBODY);
    const instance = await world.api.ok("getInstance");
    proxy.forwardTo(Number(mongodAddress().port));
    expect(instance).include({ has_staff: true, sign_up: "open" });
  });
});
