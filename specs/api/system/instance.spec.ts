import { expect } from "chai";
import { isReservedName } from "../../../actors/accounts/profile/reserved-names.ts";
import { GROUNDS } from "../../../api/http/page-layout.ts";
import { accentsOf, contrastOf } from "../../../api/system/instance/accents.ts";
import { usersCollection } from "../../../store/mongo/accounts/users.ts";
import { movableClock } from "../../support/clock.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><rect width="9" height="9"/></svg>`;
const RULES = `# House rules

Be kind. See [privacy](privacy.md#cookies), [terms](terms.md), [us](https://example.org/) and [this](javascript:alert(1)).

<script>alert(2)</script>

![a picture](https://example.org/pixel.png)
`;

describe("an instance as its operator set it up", () => {
  const { world } = setUpWorld(() => ({
    stores: openOwnStores,
    clock: movableClock(),
    instance: {
      name: `Owl "&" Sons`,
      accent: "#ffe600",
      logo: { bytes: Buffer.from(SVG), type: "image/svg+xml", extension: "svg" },
      pages: { rules: RULES, privacy: "No trackers.\n\n## Cookies\n\nFive." },
      signUp: "invitation" as const,
    },
  }));

  const open = (path: string) => fetch(`${world.baseUrl}${path}`, { redirect: "manual" });

  it("is described to anybody", async () => {
    const { logo_url, accent, ...shown } = await world.api.ok("getInstance");

    expect(shown).deep.equal({
      name: `Owl "&" Sons`,
      pages: ["rules", "privacy"],
      sign_up: "invitation",
      takes_payments: true,
      has_staff: false,
      makes_clips: true,
    });
    expect(logo_url).match(/^https:\/\/livecore\.example\/instance\/logo\/[0-9a-f]{16}\.svg$/);
    expect(accent.dark).equal("#ffe600");
  });

  it("says that there is staff once somebody was made staff", async () => {
    const users = usersCollection.in(world.core.mongo.db);
    await users.insertOne({
      ...Object(await users.findOne()),
      _id: "of-spec",
      username: "of_spec",
      emailKey: "of-spec",
      isStaff: true,
      status: "active",
    });
    world.clock.move(11_000);

    expect((await world.api.ok("getInstance")).has_staff).equal(true);
  });

  it("has a logo that runs nothing when it is opened by itself, and is kept for good", async () => {
    const { logo_url } = await world.api.ok("getInstance");
    const { pathname } = new URL(logo_url ?? "");

    const answer = await open(pathname);

    expect(await answer.text()).equal(SVG);
    expect(answer.headers.get("content-type")).equal("image/svg+xml");
    expect(answer.headers.get("content-security-policy")).match(/default-src 'none'.*; sandbox$/);
    expect(answer.headers.get("x-content-type-options")).equal("nosniff");
    expect(answer.headers.get("cross-origin-resource-policy")).equal("cross-origin");
    expect(answer.headers.get("cache-control")).equal("public, max-age=31536000, immutable");
    const another = await open(`/instance/logo/${"0".repeat(16)}.png`);
    expect([another.status, another.headers.get("cache-control")]).deep.equal([200, "public, max-age=60"]);
    expect((await open("/instance/logo/x.png")).status).equal(404);
  });

  it("serves its pages as static HTML, in which HTML and scripts are text", async () => {
    const answer = await open("/about/rules");
    const text = await answer.text();

    expect([answer.status, answer.headers.get("content-type")]).deep.equal([200, "text/html; charset=utf-8"]);
    expect(answer.headers.get("content-security-policy")).match(
      /^default-src 'none'; .*frame-ancestors 'none'$/,
    );
    expect(answer.headers.get("content-security-policy")).not.include("script-src");
    expect(text)
      .include("&lt;script&gt;alert(2)")
      .and.not.match(/<script|javascript:|pixel\.png/);
    expect(text).include("<title>House rules · Owl &quot;&amp;&quot; Sons</title>");
    expect(text)
      .match(
        /<a class="home" href="\/" aria-label="Owl &quot;&amp;&quot; Sons, home"><img src="\/instance\/logo\//,
      )
      .and.include('<a class="browse" href="/categories">');
    // A page that isn't there is no link.
    expect(text).include('<a href="/about/privacy#cookies">privacy</a>').and.not.include("/about/terms");
    expect(text).include('<a href="https://example.org/">us</a>');
    expect(await (await open("/about/privacy")).text())
      .include("<h1>Privacy</h1>")
      .include('id="cookies"');
    for (const path of ["/about/terms", "/about/imprint", "/about/rules/", "/about"])
      expect((await open(path)).status, path).equal(404);
  });

  it("has its accent on its pages", async () => {
    const { accent } = await world.api.ok("getInstance");

    expect(await (await open("/about/rules")).text()).include(
      `--accent: light-dark(${accent.light}, ${accent.dark})`,
    );
  });

  it("has paths that no username can take", () => {
    expect(["about", "instance"].map(isReservedName)).deep.equal([true, true]);
  });
});

describe("an instance without settings", () => {
  const { world } = setUpWorld();

  it("is called livecore and lets anybody sign up", async () => {
    expect(await world.api.ok("getInstance")).include({ name: "livecore", logo_url: null, sign_up: "open" });
    for (const path of ["/about/rules", `/instance/logo/${"0".repeat(16)}.svg`])
      expect((await fetch(world.baseUrl + path)).status).equal(404);
  });
});

describe("accents", () => {
  const leastOf = (colour: string, grounds: readonly string[]) =>
    Math.min(...grounds.map((ground) => contrastOf(colour, ground)));

  it("have a contrast of 4.5 to one on the grounds of both schemes, whatever was wanted", () => {
    const steps = ["00", "40", "80", "c0", "ff"];
    for (const red of steps)
      for (const green of steps)
        for (const blue of steps) {
          const { light, dark } = accentsOf(`#${red}${green}${blue}`);
          expect(leastOf(light, GROUNDS.light), light).at.least(4.5);
          expect(leastOf(dark, GROUNDS.dark), dark).at.least(4.5);
        }
  });

  it("stay as they were wanted where that can be read", () => {
    expect(accentsOf("#5b3fa8").light).equal("#5b3fa8");
    expect(accentsOf("#b9a2ff").dark).equal("#b9a2ff");
    expect(contrastOf("#000000", "#ffffff")).closeTo(21, 0.01);
    expect(contrastOf("#777777", "#ffffff")).closeTo(4.48, 0.01);
  });
});
