import { expect } from "chai";
import sharp from "sharp";
import { createPictures } from "../../../../actors/channels/pictures/pictures.ts";
import { givenChannels, type Person } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";
import { bombPng } from "./bomb.ts";

const LIMIT = 5 * 1024 * 1024;
const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "#1f9d55" } });

describe("PUT /v1/users/me/avatar and /banner", function () {
  this.timeout(60_000);
  const { world } = setUpWorld();
  let user: Person;

  const put = (bytes: Uint8Array, type = "image/png", operation: "setAvatar" | "setBanner" = "setAvatar") =>
    user.api.call(operation, { body: bytes, headers: { "content-type": type } });
  const urlOf = (answer: { body: unknown }) => String(Object(answer.body).image_url);
  const pathOf = (url: string) => `${world.baseUrl}${new URL(url).pathname}`;
  const ruleOf = (answer: { body: unknown }) => Object(answer.body).details.errors[0].rule;
  // Ten an hour are few for all of these.
  beforeEach(async () => {
    user = await givenChannels(world).user();
  });

  it("make a WebP of the documented size of each of the three formats", async () => {
    const of = {
      "image/png": picture(400, 300).png(),
      "image/jpeg": picture(400, 300).jpeg(),
      "image/jpg": picture(400, 300).jpeg(),
      "image/pjpeg; charset=utf-8": picture(400, 300).jpeg(),
      "image/x-png": picture(400, 300).png(),
      "image/webp": picture(400, 300).webp(),
    };
    for (const [type, made] of Object.entries(of)) {
      const answer = await put(await made.toBuffer(), type);
      expect(answer.status, JSON.stringify(answer.body)).equal(200);
      const served = await fetch(pathOf(urlOf(answer)));
      const { format, width, height } = await sharp(Buffer.from(await served.arrayBuffer())).metadata();
      expect({ format, width, height }).deep.equal({ format: "webp", width: 320, height: 320 });
    }
    const banner = await put(await picture(400, 300).png().toBuffer(), "image/png", "setBanner");
    const served = await fetch(pathOf(String(Object(banner.body).banner_url)));
    const { width, height } = await sharp(Buffer.from(await served.arrayBuffer())).metadata();
    expect({ width, height }).deep.equal({ width: 1_500, height: 500 });
  });

  it("keep nothing of the original but its pixels", async () => {
    const bytes = await picture(64, 64)
      .withExif({ IFD0: { Artist: "secret artist", Copyright: "51.5 north" } })
      .jpeg()
      .toBuffer();
    expect(bytes.toString("latin1")).include("secret artist");

    const served = await fetch(pathOf(urlOf(await put(bytes, "image/jpeg"))));
    const result = Buffer.from(await served.arrayBuffer());

    expect(result.toString("latin1")).not.include("secret artist");
    const { exif, icc, xmp, iptc } = await sharp(result).metadata();
    expect([exif, icc, xmp, iptc]).deep.equal([undefined, undefined, undefined, undefined]);
  });

  it("carry none of what was hung behind a picture", async () => {
    const bytes = Buffer.concat([
      await picture(32, 32).png().toBuffer(),
      Buffer.from("<script>alert(1)</script>PK\u0003\u0004"),
    ]);

    const served = await fetch(pathOf(urlOf(await put(bytes))));

    expect(Buffer.from(await served.arrayBuffer()).toString("latin1")).not.include("<script>");
  });

  it("refuse 900 million pixels in a small file, and stay small", async () => {
    const before = process.memoryUsage().rss;

    const answer = await put(bombPng(30_000, 30_000));

    expect([answer.status, ruleOf(answer)]).deep.equal([400, "pixels"]);
    expect(process.memoryUsage().rss - before).below(200 * 1024 * 1024);
  });

  it("are 50 million pixels at most, and 16,383 a side", async () => {
    const statuses: [number, number, number][] = [];
    const rules: unknown[] = [];
    for (const [width, height] of [
      ...([
        [10_000, 5_000],
        [10_000, 5_001],
      ] as const),
      ...([
        [16_383, 400],
        [16_384, 400],
        [400, 16_383],
        [400, 16_384],
      ] as const),
    ]) {
      const answer = await put(bombPng(width, height));
      statuses.push([width, height, answer.status]);
      if (answer.status === 400) rules.push(ruleOf(answer));
    }

    expect(statuses).deep.equal([
      [10_000, 5_000, 200],
      [10_000, 5_001, 400],
      [16_383, 400, 200],
      [16_384, 400, 400],
      [400, 16_383, 200],
      [400, 16_384, 400],
    ]);
    expect(rules).deep.equal(["pixels", "pixels", "pixels"]);
  });

  const held = (width: number, height: number) => ({
    "a progressive JPEG": picture(width, height).jpeg({ progressive: true }),
    "an interlaced PNG": picture(width, height).png({ progressive: true }),
    "a WebP": picture(width, height).webp({ lossless: true, effort: 0 }),
  });

  it("refuse by its header what would be in memory whole and is past 64 MiB, and take photos", async () => {
    const tooMuch = {
      ...held(5_000, 5_000),
      "a PNG of 16 bits": picture(5_000, 5_000).toColourspace("rgb16").png(),
    };
    for (const [what, made] of Object.entries(tooMuch)) {
      const answer = await put(await made.toBuffer());
      expect([what, answer.status, ruleOf(answer)]).deep.equal([what, 400, "pixels"]);
    }
    const photos = { ...held(4_000, 3_000), "a sequential JPEG": picture(8_000, 6_000).jpeg() };
    for (const [what, made] of Object.entries(photos)) {
      const answer = await put(await made.toBuffer());
      expect([what, answer.status]).deep.equal([what, 200]);
    }
  });

  it("refuse what isn't one of the three, whatever it calls itself", async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    const gif = await picture(8, 8).gif().toBuffer();
    const others = { svg, gif, text: Buffer.from("hello"), empty: Buffer.alloc(0) };
    for (const [what, bytes] of Object.entries(others)) {
      const answer = await put(bytes, "image/png");
      expect([answer.status, answer.code], what).deep.equal([415, "unsupported_media_type"]);
    }
    const asSvg = await put(svg, "image/svg+xml");
    expect(asSvg.code).equal("unsupported_media_type");
  });

  it("refuse what begins as a picture and isn't one", async () => {
    const png = await picture(64, 64).png().toBuffer();
    const answer = await put(Buffer.concat([png.subarray(0, 60), Buffer.from("<svg/>".repeat(20))]));

    expect([answer.status, ruleOf(answer)]).deep.equal([400, "image"]);
  });

  it("take 5 MiB and refuse one byte more, before it has come when its length says so", async () => {
    const png = await picture(64, 64).png().toBuffer();
    const whole = Buffer.concat([png, Buffer.alloc(LIMIT - png.length)]);

    expect((await put(whole)).status).equal(200);
    const answer = await put(Buffer.concat([whole, Buffer.alloc(1)]));

    expect([answer.status, answer.code, answer.details.most_bytes]).deep.equal([
      413,
      "payload_too_large",
      LIMIT,
    ]);
  });

  it("are counted: ten an hour", async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) statuses.push((await put(Buffer.from("no"))).status);

    expect(statuses).deep.equal([...Array.from({ length: 10 }, () => 415), 429]);
  });

  it("show the new picture under a new address, and remove the old one an hour later", async () => {
    const owner = await givenChannels(world).user();
    const of = async (colour: string) => {
      const bytes = await sharp({ create: { width: 9, height: 9, channels: 3, background: colour } })
        .png()
        .toBuffer();
      return (await owner.api.ok("setAvatar", { body: bytes, headers: { "content-type": "image/png" } }))
        .image_url;
    };
    const first = String(await of("#ffffff"));
    const second = String(await of("#000000"));
    expect(second).not.equal(first);
    expect((await fetch(pathOf(first))).status).equal(200);

    const files = world.core.mongo.db.collection("files");
    const old = { userId: owner.id, state: "dropped" };
    await files.updateMany(old, { $set: { dueAt: new Date(0) } });
    await world.core.pictures.sweep();

    expect([(await fetch(pathOf(first))).status, (await fetch(pathOf(second))).status]).deep.equal([
      404, 200,
    ]);
    expect(await files.countDocuments({ userId: owner.id })).equal(1);
    await owner.api.ok("updateMe", { body: { image_url: null } });
    await files.updateMany(old, { $set: { dueAt: new Date(0) } });
    await world.core.pictures.sweep();
    expect((await fetch(pathOf(second))).status).equal(404);
  });

  it("leave no file behind that no row names", async () => {
    const name = `${"ab".repeat(32)}.webp`;
    const { files } = world.core;
    await files.put(name, Buffer.from("x"));

    await world.core.pictures.sweepOrphans();
    expect(await files.read(name), "it may have just been put there").not.equal(null);
    const later = { ...world.core, clock: { now: () => Date.now() + 25 * 3_600_000 } };
    await createPictures({ ...later, publicUrl: "https://livecore.example" }).sweepOrphans();

    expect(await files.read(name)).equal(null);
  });

  it("are served so that a browser shows them and does nothing else", async () => {
    const url = pathOf(urlOf(await put(await picture(16, 16).png().toBuffer())));

    const { headers } = await fetch(url);

    expect(headers.get("x-content-type-options")).equal("nosniff");
    expect(headers.get("content-type")).equal("image/webp");
    expect(headers.get("content-security-policy")).equal("default-src 'none'; sandbox");
    expect(headers.get("content-disposition")).match(/^inline; filename=/);
    expect(headers.get("cache-control")).include("immutable");
  });

  for (const path of [
    "/files/..%2f..%2fpackage.json",
    "/files/%2e%2e/package.json",
    "/files/.hidden",
    "/files/",
    `/files/${"a".repeat(64)}.webp%00.png`,
    `/files/${"A".repeat(64)}.webp`,
    `/files/${"0".repeat(64)}.webp`,
  ]) {
    it(`know nothing at ${path.slice(0, 40)}`, async () => {
      const answer = await fetch(`${world.baseUrl}${path}`);
      expect(answer.status).equal(404);
      expect(answer.headers.get("content-type")).match(/json/);
    });
  }
});
