import { expect } from "chai";
import { givenChannels, type Person } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("PUT /v1/users/me/seo-tags", () => {
  const { world } = setUpWorld();
  let user: Person;
  before(async () => {
    user = await givenChannels(world).user();
  });
  const set = (body: unknown) => user.api.call("setSeoTags", { body });
  const profile = () =>
    world.api
      .with({ authorization: `Bearer ${user.token}` })
      .ok("getPublicProfile", { params: { username: user.username } });

  it("replaces the tags, and says itself when they were changed", async () => {
    await set({ title: "First", mood: "curious" });
    const answer = await set({ keywords: ["chess"], last_modified: "2001-01-01T00:00:00.000Z" });

    expect(answer.status).equal(200);
    const { last_modified, ...tags } = Object(answer.body);
    expect(tags).deep.equal({ keywords: ["chess"] });
    expect(Math.abs(Date.now() - Date.parse(last_modified))).below(60_000);
    expect((await profile()).seo_tags).deep.equal(answer.body);
  });

  it("shows none on the profile once there are none", async () => {
    await set({ title: "First" });
    expect((await set({})).body).deep.equal({});
    expect(await profile()).not.property("seo_tags");
  });

  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`own_${i}`, "x"]));
  const refused: Record<string, unknown> = {
    "21 own tags": many(21),
    "a tag with structure": { own: { deep: { deeper: "x" } } },
    "a list as own tag": { own: ["x"] },
    "301 characters": { own: "x".repeat(301) },
    "a name with a dot": { "a.b": "x" },
    "a name with a dollar": { $where: "x" },
    "an empty name": { "": "x" },
    "a long name": { ["n".repeat(41)]: "x" },
    "51 keywords": { keywords: Array.from({ length: 51 }, () => "x") },
    "control characters": { own: "a\u0000b" },
  };
  for (const [what, body] of Object.entries(refused)) {
    it(`refuses ${what}`, async () => {
      expect((await set(body)).code).equal("validation_failed");
    });
  }

  it("refuses the name by which objects are made something else", async () => {
    expect((await set('{"__proto__":"x"}')).code).equal("validation_failed");
  });

  it("takes 20 of one's own beside the known ones", async () => {
    const known = {
      title: "t",
      description: "d",
      location: "l",
      category: "c",
      language: "en",
      country: "x",
      city: "y",
    };
    expect((await set({ ...known, keywords: ["k"], ...many(20) })).status).equal(200);
  });
});
