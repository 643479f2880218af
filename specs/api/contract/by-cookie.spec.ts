import { expect } from "chai";
import { shows } from "../../../contract/coverage/shows.ts";
import { openWorld, type World } from "../../support/world.ts";

describe("who is asking", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  it("isn't required by what reports health, nor is anything else", async () => {
    for (const headers of [
      {},
      { authorization: "Bearer nonsense" },
      { cookie: "lc_access_token=nonsense" },
    ]) {
      const { status, body } = await world.api.with(headers).call("getHealth");
      expect(status).equal(200);
      expect(body).property("status").a("string");
    }
    shows("auth.health_anonymous");
  });
});

describe("what clients of before sent", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  it("has no path any more: figures of playback", async () => {
    for (const method of ["GET", "POST", "PUT"]) {
      const answer = await fetch(`${world.baseUrl}/v1/metrics/playback`, { method });
      expect([answer.status, Object(await answer.json()).code]).deep.equal([404, "not_found"]);
    }
    shows("absent /v1/metrics/playback");
  });
});
