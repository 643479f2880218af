import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { markdown } from "../../../../api/http/markdown.ts";
import { projectRoot } from "../../../../deploy/processes/config/project.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("guides", () => {
  const { world } = setUpWorld();

  const open = (path: string) => fetch(world.baseUrl + path);
  const linksIn = (html: string) =>
    [...html.matchAll(/href="(\/docs\/guides[^"]*)"/g)].map(([, link = ""]) => link);
  const pagePaths = async () =>
    new Set(linksIn(await (await open("/docs/guides")).text()).map((link) => link.split("#")[0] ?? ""));

  it("lists every page of the documentation, decisions and machines included", async () => {
    const paths = await pagePaths();
    for (const folder of ["", "machines", "decisions"]) {
      const names = readdirSync(join(projectRoot, "docs", folder)).filter((name) =>
        /^(?!README).*\.md$/.test(name),
      );
      const wanted = names.map((name) => `/docs/guides/${join(folder, name.replace(/\.md$/, ""))}`);
      expect([...paths]).include.members(wanted);
    }
  });

  it("leads by every link to a page and a heading that are there", async () => {
    const pages = new Map<string, string>();
    for (const path of await pagePaths()) {
      const answer = await open(path);
      expect(answer.status, path).equal(200);
      pages.set(path, await answer.text());
    }
    const dead = [...pages].flatMap(([from, html]) =>
      linksIn(html)
        .filter((link) => !link.endsWith(".png"))
        .map((link) => link.split("#"))
        .filter(([path = "", anchor]) => {
          const target = pages.get(path);
          return target === undefined || (anchor !== undefined && !target.includes(`id="${anchor}"`));
        })
        .map((link) => `${from}: ${link.join("#")}`),
    );
    const deadAnchors = [...pages].flatMap(([from, html]) =>
      [...html.matchAll(/href="#([^"]+)"/g)]
        .filter(([, anchor]) => !html.includes(`id="${anchor}"`) && anchor !== "main")
        .map(([, anchor]) => `${from}#${anchor}`),
    );

    const relative = [...pages].flatMap(([from, html]) =>
      [...html.matchAll(/href="(?![/#]|https?:|mailto:)[^"]*"/g)].map(([link]) => `${from}: ${link}`),
    );

    expect(pages.size).above(50);
    expect(relative).deep.equal([]);
    expect([dead, deadAnchors]).deep.equal([[], []]);
  });

  it("have a title, a description and a canonical address, as the references have", async () => {
    for (const path of ["/docs", "/docs/sockets", "/docs/guides", "/docs/guides/media"]) {
      const html = await (await open(path)).text();
      expect(html, path)
        .match(/<title>[^<]+ · livecore<\/title>/)
        .match(/<meta name="description" content="[^"]+">/);
      expect(html).include(`<link rel="canonical" href="https://livecore.example${path}">`);
    }
  });

  it("answers 404 for pages that aren't there or lie elsewhere", async () => {
    for (const path of [
      "nothing",
      "..%2fpackage",
      "../package.json",
      "%2e%2e/README",
      "screens/nothing.png",
      "screens/..%2f..%2fpackage.json",
      "",
    ])
      expect((await open(`/docs/guides/${path}`)).status, path).within(path === "" ? 200 : 404, 404);
  });

  it("lists each page once by its title, and nothing that isn't served", async () => {
    const html = await (await open("/docs/guides")).text();
    const [, content = ""] = html.split('<div class="text">');
    const links = [...content.matchAll(/<li><a href="([^"]+)">([^<]+)<\/a>/g)].map(([, to, text]) => ({
      to,
      text,
    }));
    const addresses = links.map(({ to }) => to);

    expect(links).deep.include({ to: "/docs/guides/payments", text: "Payments" });
    expect(addresses).include.members(["/docs/guides/machines/raid", "/docs/guides#machines"]);
    expect(addresses.length).equal(new Set(addresses).size);
    expect(content).not.match(/<li>(?!<a )/);
    expect(links.filter(({ text = "" }) => /\.md$/.test(text))).deep.equal([]);
  });

  it("shows the pictures of the documentation", async () => {
    const html = await (await open("/docs/guides/embeds")).text();
    const [, picture = ""] = /<img src="([^"]+)" alt="[^"]+"/.exec(html) ?? [];
    const dark = linksIn(html).find((link) => link.endsWith("dark.png"));
    for (const path of [picture, String(dark)]) {
      const answer = await open(path);
      expect([answer.status, answer.headers.get("content-type")], path).deep.equal([200, "image/png"]);
    }
  });

  it("shows a lifecycle as a table, without source of a diagram or comments", async () => {
    const html = await (await open("/docs/guides/machines/raid")).text();
    expect(html).include("<td><code>pending / ready</code></td>");
    expect(html).not.match(/stateDiagram|--&gt;|Generated from/);
  });

  it("runs no script but that of its table of contents", async () => {
    const answer = await open("/docs/guides/media");
    expect(answer.headers.get("content-security-policy"))
      .include("default-src 'none'")
      .include("script-src 'self'")
      .not.include("unsafe-inline");
    expect((await answer.text()).match(/<script[^>]*>/g)).deep.equal(['<script src="/docs/contents.js">']);
  });

  it("shows HTML in Markdown as text", () => {
    const { body } = markdown(
      '<img src=x onerror=alert(1)>\n\nand <b>this</b> [link](https://a.example/?a=1&b="2")',
    );
    expect(body.text)
      .include("&lt;img")
      .not.match(/<img|<b>/);
  });

  it("breaks long code in text behind separators alone", () => {
    const { body } = markdown(
      "`LIVECORE_OF_A_LONG_NAME_IN_CAPITALS`, `redis://user@host:6379,host:6380`, `a/b`",
    );
    expect(body.text)
      .include("<code>LIVECORE_OF_A_LONG_NAME_IN_CAPITALS</code>")
      .include("<code>redis://<wbr>user@<wbr>host:<wbr>6379,<wbr>host:<wbr>6380</code>")
      .include("<code>a/b</code>");
  });

  it("gives headings of the same text different anchors", () => {
    const { headings } = markdown("# `A` page\n\n## Part\n\n## Part\n\n## What's *new*?");
    expect(headings.map(({ id }) => id)).deep.equal(["a-page", "part", "part-1", "whats-new"]);
  });
});
