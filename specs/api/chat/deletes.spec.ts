import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { type Given, givenChannels } from "../../support/given-channels.ts";
import { openWorld, type World } from "../../support/world.ts";

describe("deleting messages", () => {
  let worlds: World[];
  let given: Given;
  before(async () => {
    worlds = [await openWorld(), await openWorld()];
    const [first] = worlds;
    if (!first) throw new Error("no world");
    given = givenChannels(first);
  });
  after(() => Promise.all(worlds.map((world) => world.close())));

  it("may be tried 300 times a minute by a user, over all workers", async () => {
    const { at } = await given.channel();
    const guesser = await given.user();
    const origin = { ip: "192.0.2.1", userAgent: null, requestId: "spec" };
    const guess = (world: World | undefined) =>
      world?.core.moderation
        .deleteMessage({ streamId: at.stream_id, by: guesser.id, origin, uuid: newId() })
        .then(
          () => "deleted",
          ({ code }: { code: string }) => code,
        );
    const codes = new Set<string | undefined>();
    for (let round = 0; round < 15; round++) {
      const round20 = [...Array(20).keys()].map((i) => guess(worlds[i % 2]));
      for (const code of await Promise.all(round20)) codes.add(code);
    }
    expect([...codes]).deep.equal(["forbidden"]);

    expect(await guess(worlds[1])).equal("rate_limited");
    const params = { ...at, uuid: newId() };
    const refused = await guesser.api.call("deleteChatMessage", { params });
    expect(refused).include({ status: 429, code: "rate_limited" });
    expect(refused.body).nested.include({ "details.bucket": "deletes", "details.limit": 300 });
  });
});
