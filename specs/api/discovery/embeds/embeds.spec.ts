import { createHash } from "node:crypto";
import { get, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync } from "node:zlib";
import { expect } from "chai";
import { shows } from "../../../../contract/coverage/shows.ts";
import { usersCollection } from "../../../../store/mongo/accounts/users.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

const KIB = 1_024;
const CHAT_AT_MOST = 60 * KIB;

const sha256 = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

describe("player and chat for pages of other sites", () => {
  const { world, given } = setUpWorld();

  const page = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${world.baseUrl}${path}`, { headers, redirect: "manual" });

  /** Not unpacked, which `fetch` does by itself. */
  const asSent = (url: string, headers: Record<string, string>) =>
    new Promise<IncomingMessage>((resolve, reject) => get(url, { headers }, resolve).once("error", reject));

  function directives(answer: Response): Map<string, string> {
    const policy = answer.headers.get("content-security-policy") ?? "";
    return new Map(
      policy.split("; ").map((one): [string, string] => {
        const [name = "", ...values] = one.split(" ");
        return [name, values.join(" ")];
      }),
    );
  }

  for (const embed of ["player", "chat"] as const) {
    it(`show the ${embed} of a channel to pages that the address names, and to no others`, async () => {
      const { owner, stream } = await given.channel();
      const at = `/embed/${embed}/${owner.username.toUpperCase()}`;
      const answer = await page(`${at}?parent=fans.example&parent=LOCALHOST:3000&parent=fans.example`);
      const text = await answer.text();

      expect(answer.status).equal(200);
      expect(directives(answer).get("frame-ancestors")).equal("'self' fans.example localhost:3000");
      expect(answer.headers.get("x-frame-options")).equal(null);
      expect(text).include(`data-stream-id="${stream.id}"`);
      expect(directives(await page(at)).get("frame-ancestors")).equal("'self'");
      shows(embed === "player" ? "embed.player" : "embed.chat");
    });

    it(`let nothing run in the ${embed} but its own scripts`, async () => {
      const { owner } = await given.channel();
      const answer = await page(`/embed/${embed}/${owner.username}?parent=fans.example`);
      const text = await answer.text();
      const policy = directives(answer);

      expect(policy.get("default-src")).equal("'none'");
      expect(policy.get("base-uri")).equal("'none'");
      expect(policy.get("form-action")).equal("'none'");
      const [, script = "", integrity = ""] =
        /<script type="module" src="([^"]+)" integrity="([^"]+)">/.exec(text) ?? [];
      const [, reload = ""] = /<script>([^<]+)<\/script>/.exec(text) ?? [];
      expect(policy.get("script-src")).equal(`'${integrity}' ${sha256(reload)}`);
      const file = await page(new URL(script, `${world.baseUrl}/embed/${embed}/x`).pathname);
      const bytes = Buffer.from(await file.arrayBuffer());
      expect(`sha384-${createHash("sha384").update(bytes).digest("base64")}`).equal(integrity);
      const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? "";
      expect(policy.get("style-src")).equal(sha256(style));
      expect(text, "who has no scripts is shown why there is nothing").include("<noscript>");
      const inline = text.replace(`<script>${reload}</script>`, "");
      expect(inline).not.match(/<script(?! type="module" src="[^"]+" integrity="[^"]+"><\/script>)/);
    });
  }

  it("neither set nor take cookies", async () => {
    const { owner } = await given.channel();
    const own = await page(`/embed/chat/${owner.username}`, { cookie: `access_token=${owner.token}` });
    const foreign = await page(`/embed/chat/${owner.username}`);

    expect(own.headers.get("set-cookie")).equal(null);
    expect(await own.text()).equal(await foreign.text());
  });

  it("have files that change their names with their content, packed for clients that take that", async () => {
    const { owner } = await given.channel();
    const text = await (await page(`/embed/chat/${owner.username}`)).text();
    const script = new URL(/src="([^"]+)"/.exec(text)?.[1] ?? "", `${world.baseUrl}/embed/chat/x`).pathname;
    const packed = await asSent(`${world.baseUrl}${script}`, { "accept-encoding": "br, gzip" });
    const bytes = await buffer(packed);
    const plain = await page(script, { "accept-encoding": "identity" });

    expect(plain.headers.get("cache-control")).equal("public, max-age=31536000, immutable");
    expect(plain.headers.get("vary")).include("Accept-Encoding");
    expect(plain.headers.get("content-type")).equal("text/javascript; charset=utf-8");
    expect(packed.headers["content-encoding"]).equal("br");
    expect(brotliDecompressSync(bytes)).deep.equal(Buffer.from(await plain.arrayBuffer()));
    expect(bytes.length + text.length, "what a chat's page loads").most(CHAT_AT_MOST);
    expect((await page("/embed/assets/..%2fmanifest.json")).status).equal(404);
    expect((await page("/embed/assets/manifest.json")).status).equal(404);
  });

  it("serves the licenses of a script's packages under the name that the script gives", async () => {
    const { owner } = await given.channel();
    const text = await (await page(`/embed/player/${owner.username}`)).text();
    const script = new URL(/src="([^"]+)"/.exec(text)?.[1] ?? "", `${world.baseUrl}/embed/player/x`);
    const [, name = ""] = /^\/\*! .*: (\S+) \*\//.exec(await (await page(script.pathname)).text()) ?? [];

    const licenses = await page(new URL(name, script).pathname);

    expect(licenses.headers.get("content-type")).equal("text/plain; charset=utf-8");
    expect(licenses.headers.get("cache-control")).equal("public, max-age=30");
    expect(await licenses.text())
      .include("## hls.js")
      .include("## preact");
  });

  for (const parent of [
    "https://fans.example",
    "fans.example;script-src *",
    "*",
    "fans.example/x",
    "a b",
    "",
    "'self'",
  ]) {
    it(`refuse ${JSON.stringify(parent)} as a page that shows them`, async () => {
      const { owner } = await given.channel();
      const answer = await page(`/embed/chat/${owner.username}?parent=${encodeURIComponent(parent)}`);
      expect([answer.status, Object(await answer.json()).code]).deep.equal([400, "validation_failed"]);
      expect(answer.headers.get("content-security-policy")).not.include("frame-ancestors");
    });
  }

  it("take ten pages, and not eleven", async () => {
    const { owner } = await given.channel();
    const parents = (count: number) =>
      Array.from({ length: count }, (_, i) => `parent=p${i}.example`).join("&");
    expect((await page(`/embed/chat/${owner.username}?${parents(10)}`)).status).equal(200);
    expect((await page(`/embed/chat/${owner.username}?${parents(11)}`)).status).equal(400);
  });

  it("say so where there is no such channel, or its owner is banned", async () => {
    const { owner } = await given.channel();
    await usersCollection
      .in(world.core.mongo.db)
      .updateOne({ _id: owner.id }, { $set: { status: "banned" } });
    for (const name of ["nobody_is_here", owner.username, "..%2f", "%00"]) {
      const answer = await page(`/embed/chat/${name}?parent=fans.example`);
      expect(answer.status).equal(404);
      expect(directives(answer).get("frame-ancestors")).equal("'self' fans.example");
      expect(await answer.text()).include("There is no channel of this name.");
    }
  });

  it("have a window to sign in that no page shows, and that may answer the chat that opened it", async () => {
    const answer = await page("/embed/sign-in?site=fans.example");
    const policy = directives(answer);

    expect(answer.status).equal(200);
    expect(policy.get("frame-ancestors")).equal("'none'");
    expect(policy.get("script-src")).match(/^'sha384-[^' ]+' 'sha256-[^' ]+'$/);
    expect(answer.headers.get("cross-origin-opener-policy")).equal("unsafe-none");
    expect(await answer.text()).not.include("fans.example");
  });

  it("show no text of a channel's as markup", async () => {
    const { owner } = await given.channel();
    await usersCollection
      .in(world.core.mongo.db)
      .updateOne({ _id: owner.id }, { $set: { usernameTitle: `"><img src=x onerror=alert(1)>` } });
    const text = await (await page(`/embed/player/${owner.username}?parent=fans.example`)).text();
    expect(text).not.include("<img");
    expect(text).include('data-channel-name="&quot;&gt;&lt;img');
  });
});
