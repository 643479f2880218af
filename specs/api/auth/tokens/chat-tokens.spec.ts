import { expect } from "chai";
import { HOUR_MS } from "../../../../store/durations.ts";
import { movableClock } from "../../../support/clock.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("tokens for the chat inside of another site's page", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  it("speak for their user in chat, and for nothing else", async () => {
    const ada = await given.user();
    const channel = await given.channel();
    const { token, scopes, name } = await ada.api.ok("createChatToken", {
      body: { site: "fans.example:3000" },
    });
    const embedded = world.api.as({ token });

    expect([name, ...scopes]).deep.equal(["Chat on fans.example:3000", "chat:read", "chat:send"]);
    const message = await embedded.ok("sendChatMessage", { params: channel.at, body: { content: "hello" } });
    expect(message).include({ user_id: ada.id });
    const follow = { params: { user_id: channel.owner.id } };
    expect((await embedded.call("followUser", follow)).code).equal("insufficient_scope");
    expect((await embedded.call("createChatToken", { body: { site: "fans.example" } })).code).equal(
      "insufficient_scope",
    );
  });

  it("are one a site, and leave the others alone", async () => {
    const { api } = await given.user();
    const first = await api.ok("createChatToken", { body: { site: "fans.example" } });
    await api.ok("createChatToken", { body: { site: "other.example" } });
    await api.ok("createApiToken", { body: { name: "Chat on fans.example" } });
    const second = await api.ok("createChatToken", { body: { site: "fans.example" } });

    const { items } = await api.ok("listApiTokens");
    expect(items.map(({ name }) => name).sort()).deep.equal([
      "Chat on fans.example",
      "Chat on fans.example",
      "Chat on other.example",
    ]);
    expect(items.map(({ id }) => id))
      .include(second.id)
      .and.not.include(first.id);
    const before = await world.api.as({ token: first.token }).call("createWsTicket");
    expect([before.status, before.code]).deep.equal([401, "invalid_token"]);
  });

  it("end after four hours", async () => {
    const { api } = await given.user();
    const { token, expires_at: until } = await api.ok("createChatToken", { body: { site: "fans.example" } });
    const left = Date.parse(until ?? "") - world.clock.now();
    expect(left).within(4 * HOUR_MS - 60_000, 4 * HOUR_MS);
    world.clock.move(left + 1);
    const after = await world.api.as({ token }).call("createWsTicket");
    expect([after.status, after.code]).deep.equal([401, "invalid_token"]);
  });

  for (const site of [
    "https://fans.example",
    "Fans.example",
    "fans.example/x",
    "-",
    "a b",
    "fans.example:",
  ]) {
    it(`are for hosts, which ${JSON.stringify(site)} is none of`, async () => {
      const { api } = await given.user();
      expect((await api.call("createChatToken", { body: { site } })).code).equal("validation_failed");
    });
  }
});
