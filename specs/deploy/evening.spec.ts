// @waits: for a service to start.
import { expect } from "chai";
import { eventually } from "../support/eventually.ts";
import { setUpWorld } from "../support/set-up-world.ts";

describe("An evening through the public ports", () => {
  const { world } = setUpWorld();

  it("goes live by the publish hook and offline by a rotated key", async () => {
    const { api, ingestKey } = world;
    const session = await api.with({ "x-auth-mode": "bearer" }).ok("register", {
      body: {
        username: `eve_${Date.now()}`,
        email: `eve${Date.now()}@spec.example`,
        password: "correct horse battery",
      },
    });
    const eve = api.as({ token: String(session.access_token) });
    const stream = await eve.ok("getMyStream");

    await api.ok("ingestPublish", {
      body: new URLSearchParams({
        app: "ingest",
        call: "publish",
        name: String(stream.stream_key),
        addr: "127.0.0.1",
        clientid: "1",
      }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", "x-system-key": ingestKey },
    });
    await eventually(async () => (await api.ok("getStream", { params: { stream_id: stream.id } })).is_live, {
      withinMs: 10_000,
    });
    await eve.ok("rotateStreamKey");

    expect((await eve.ok("getStream", { params: { stream_id: stream.id } })).is_live).equal(false);
  });
});
