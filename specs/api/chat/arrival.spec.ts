import { expect } from "chai";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("messages by REST", () => {
  const { world, given } = setUpWorld();

  it("reach their room with the time of their arrival, also those of bots", async () => {
    const channel = await given.channel();
    const [person, owner] = [await given.user(), channel.owner];
    const { token } = await owner.api.ok("createApiToken", { body: { name: "bot", scopes: ["chat:send"] } });
    const { rooms } = world.core;
    const send = rooms.send;
    const arrivals: (number | undefined)[] = [];
    rooms.send = (request) => {
      arrivals.push(request.arrivedAt);
      return send(request);
    };
    const before = performance.now();

    await person.api.ok("sendChatMessage", { params: channel.at, body: { content: "hello" } });
    await world.api
      .as({ token })
      .ok("sendBotMessage", { body: { channel: owner.username, message: "hello" } });

    expect(arrivals).length(2);
    for (const arrivedAt of arrivals) expect(arrivedAt).within(before, performance.now());
  });
});
