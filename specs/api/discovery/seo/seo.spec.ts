import { expect } from "chai";
import { createSitemap } from "../../../../actors/discovery/seo/sitemap.ts";
import { usersCollection } from "../../../../store/mongo/accounts/users.ts";
import { sitemapPagesCollection } from "../../../../store/mongo/discovery/sitemap-pages.ts";
import { movableClock } from "../../../support/clock.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

const HOSTILE = `"><script>alert(1)</script></title><!--\u2028&amp;</script>`;

describe("what search engines read", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  const page = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${world.baseUrl}${path}`, { headers, redirect: "manual" });
  const seoOf = (username: string) => world.api.ok("getUserSeo", { params: { username } });

  it("is a channel's own tags first, else its profile", async () => {
    const channel = await given.channel();
    const { owner } = channel;
    await owner.api.ok("updateMe", { body: { bio: `${"a word ".repeat(40)}` } });

    const plain = await seoOf(owner.username.toUpperCase());
    expect(plain.title).equal(`${owner.username} on livecore`);
    expect([...plain.description]).length(160);
    expect(new URL(plain.canonical).pathname).equal(`/${owner.username}`);
    expect(plain.json_ld).nested.property("@graph[0].mainEntity.alternateName", owner.username);
    expect(plain.json_ld).not.nested.property("@graph[1]");

    const tags = { title: "Compilers", description: "Written live", keywords: ["parsers"] };
    await owner.api.ok("setSeoTags", { body: tags });
    await given.hook("publish", { key: channel.stream.stream_key });
    world.clock.move(11_000);
    const own = await seoOf(owner.username);
    expect(own).include({ title: "Compilers", description: "Written live" });
    expect(own.keywords).deep.equal(["parsers"]);
    expect(own.open_graph).include({ "og:title": "Compilers", "og:type": "profile" });
  });

  it("says of a stream whether it is live", async () => {
    const { stream, owner } = await given.channel();
    const seo = async () => world.api.ok("getStreamSeo", { params: { stream_id: stream.id } });

    expect(await seo()).nested.property("json_ld.@graph[0].publication.isLiveBroadcast", false);
    expect(await seo()).not.nested.property("json_ld.@graph[0].inLanguage");
    await owner.api.ok("updateMyStream", { body: { language: "de" } });
    world.clock.move(11_000);
    expect(await seo()).nested.property("json_ld.@graph[0].inLanguage", "de");
    expect((await seo()).title).equal(`${stream.name} - ${owner.username} on livecore`);
  });

  it("is a page for each channel on which no text of its owner is markup", async () => {
    const { owner, at } = await given.channel();
    await owner.api.ok("updateMe", {
      body: { bio: HOSTILE.replace("\u2028", " "), social_links: { website: "https://example.com/a" } },
    });
    await owner.api.ok("updateMyStream", { body: { name: HOSTILE.replace("\u2028", " ") } });
    await owner.api.ok("setSeoTags", {
      body: { title: HOSTILE.replace("\u2028", " "), description: HOSTILE.replace("\u2028", " ") },
    });

    const answer = await page(`/${owner.username}`);
    const text = await answer.text();

    expect(answer.status).equal(200);
    expect(answer.headers.get("content-type")).equal("text/html; charset=utf-8");
    const policy = answer.headers.get("content-security-policy");
    expect(policy).include("frame-ancestors 'none'");
    // Metadata, the page's data, and the script that loads the rest.
    expect(text.match(/<script/g)).length(3);
    expect(text.match(/<\/script>/g)).length(3);
    expect(text).not.include("<!--");
    const data = JSON.parse(/ld\+json">([^<]*)<\/script>/.exec(text)?.[1] ?? "");
    expect(data["@graph"][0].name).equal(HOSTILE.replace("\u2028", " "));
    expect(at.stream_id).a("string");
  });

  it("has nothing of who isn't there, or is banned: a page for people, the envelope for programs", async () => {
    const { owner } = await given.channel();
    await usersCollection
      .in(world.core.mongo.db)
      .updateOne({ _id: owner.id }, { $set: { status: "banned" } });

    for (const path of ["/nobody_is_here", `/${owner.username}`]) {
      const forPeople = await page(path, { accept: "text/html" });
      expect([forPeople.status, forPeople.headers.get("content-type")]).deep.equal([
        404,
        "text/html; charset=utf-8",
      ]);
      expect(await forPeople.text()).include("noindex");
      const forPrograms = await page(path, { accept: "application/json" });
      expect([forPrograms.status, Object(await forPrograms.json()).code]).deep.equal([404, "not_found"]);
    }
    const other = await page("/sitemaps/channels-0.xml");
    expect(other.headers.get("ratelimit-policy")).include('name="bulk_reads"');
    expect([other.status, Object(await other.json()).code]).deep.equal([404, "not_found"]);
    const seo = await world.api.call("getUserSeo", { params: { username: owner.username } });
    expect(seo.code).equal("not_found");
  });

  it("leads to every channel, by files that begin where they began", async () => {
    const robots = await (await page("/robots.txt")).text();
    const index = new URL(/^Sitemap: (.*)$/m.exec(robots)?.[1] ?? "").pathname;
    const owner = await given.user();
    const files = (await (await page(index)).text()).match(/<loc>([^<]+)<\/loc>/g) ?? [];
    expect(files).length(1);
    const file = await page(new URL(files[0]?.slice(5, -6) ?? "").pathname);
    expect(file.headers.get("content-type")).equal("application/xml; charset=utf-8");
    expect(await file.text()).match(
      new RegExp(`<loc>[^<]*/${owner.username}</loc><lastmod>[^<]+Z</lastmod>`),
    );
  });

  it("grows by files of so many, each channel in one", async () => {
    await sitemapPagesCollection.in(world.core.mongo.db).deleteMany({});
    const sitemap = () =>
      createSitemap({ mongo: world.core.mongo, publicUrl: "https://a.example", perFile: 2 });
    const read = async () => {
      const found: string[][] = [];
      const [files] = await Promise.all([sitemap().files(), sitemap().files()]);
      for (let number = 1; number <= files.length; number++) {
        const urls: string[] = [];
        for await (const { url } of (await sitemap().entries(number)) ?? []) urls.push(url);
        found.push(urls);
      }
      return found;
    };
    const before = await read();
    const made = [await given.user(), await given.user(), await given.user()];

    const after = await read();

    const active = await usersCollection.in(world.core.mongo.db).countDocuments({ status: "active" });
    expect(new Set(after.flat()).size).equal(active);
    expect(after.flat()).length(active);
    expect(after.slice(0, before.length - 1)).deep.equal(before.slice(0, -1));
    expect(Math.max(...after.map((urls) => urls.length))).most(2);
    expect(after.flat().slice(-3)).deep.equal(made.map(({ username }) => `https://a.example/${username}`));
  });
});

describe("what search engines read of an instance with a name of its own", () => {
  const { world, given } = setUpWorld({ instance: { name: "Owls" } });

  it("names the instance in a channel's title and link preview", async () => {
    const { owner } = await given.channel();
    const { title, open_graph } = await world.api.ok("getUserSeo", { params: { username: owner.username } });

    expect(title).equal(`${owner.username} on Owls`);
    expect(open_graph).property("og:site_name", "Owls");
  });
});
