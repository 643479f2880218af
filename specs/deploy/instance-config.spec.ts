import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { ConfigError, loadConfig, loadWorkerConfig } from "../../deploy/processes/config/config.ts";
import type { Environment } from "../../deploy/processes/config/environment.ts";
import { variablesOf } from "../../deploy/processes/config/taken-by.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const SECRET = "q7f3Kd92mXz81LpRt6WvBn40YsHcEj5u";

describe("configuration of the instance", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "livecore-instance-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const whole = (more: Environment): Environment => ({
    NODE_ENV: "development",
    MONGODB_URL: "mongodb://127.0.0.1:27017/?replicaSet=rs0",
    REDIS_URL: "redis://127.0.0.1:6379/0",
    INGEST_KEYS: `${SECRET}i`,
    MASTER_KEY: SECRET,
    EDGE_KEYS: `${SECRET}e`,
    ...more,
  });
  const instanceBy = (more: Environment) => loadConfig(whole(more)).instance;
  function problemOf(more: Environment): string {
    try {
      instanceBy(more);
    } catch (err) {
      if (err instanceof ConfigError) return err.problems.join("\n");
      throw err;
    }
    return "";
  }
  function file(name: string, content: string | Buffer): string {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  }

  it("has defaults for all of it", () => {
    expect(instanceBy({})).deep.equal({
      name: "livecore",
      logo: null,
      accent: null,
      pages: {},
      signUp: "open",
    });
  });

  it("takes a name of one line that can be seen", () => {
    expect(instanceBy({ INSTANCE_NAME: "Eulen & Söhne 🦉" }).name).equal("Eulen & Söhne 🦉");
    for (const name of ["x".repeat(41), "a\nb", "a\u202eb", "\u200b\u2060", "a\u2028b"])
      expect(problemOf({ INSTANCE_NAME: name }), JSON.stringify(name)).match(
        /^INSTANCE_NAME must be one line/,
      );
  });

  it("takes a colour of six digits", () => {
    expect(instanceBy({ INSTANCE_ACCENT: "#FFE600" }).accent).equal("#ffe600");
    for (const accent of ["red", "#fff", "ffe600", "#ffe60g", "#ffe600aa"])
      expect(problemOf({ INSTANCE_ACCENT: accent }), accent).match(/^INSTANCE_ACCENT must be a colour/);
  });

  it("knows a logo's type by its bytes", () => {
    const svg = `\uFEFF<?xml version="1.0"?>\n<!-- drawn -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x">\n<svg/>`;
    const logos = [
      file("png", PNG),
      file("jpeg", Buffer.from([0xff, 0xd8, 0xff, 0xe0])),
      file("webp", Buffer.from("RIFF\x01\x02\x03\x04WEBPVP8 ", "latin1")),
      file("svg", svg),
    ].map((path) => instanceBy({ INSTANCE_LOGO: path }).logo);

    expect(logos.map((logo) => logo?.type)).deep.equal([
      "image/png",
      "image/jpeg",
      "image/webp",
      "image/svg+xml",
    ]);
    expect(logos[0]?.bytes.equals(PNG)).equal(true);
  });

  it("refuses other files as a logo, large ones and none", () => {
    const html = file("html.svg", "<!doctype html><html><svg></svg></html>");
    const large = file("large.png", Buffer.concat([PNG, Buffer.alloc(256 * 1_024)]));

    expect(problemOf({ INSTANCE_LOGO: html })).match(/is no PNG, JPEG, WebP or SVG/);
    expect(problemOf({ INSTANCE_LOGO: large })).match(/has more than 256 KiB/);
    for (const path of [folder, join(folder, "missing.png")])
      expect(problemOf({ INSTANCE_LOGO: path }), path).match(/^INSTANCE_LOGO names .* which is no file/);
  });

  it("reads the pages that a folder has, and refuses one without any", () => {
    const [some, none, binary] = ["some", "none", "binary"].map((name) => join(folder, name));
    for (const path of [some, none, binary]) mkdirSync(path ?? "");
    writeFileSync(join(some ?? "", "rules.md"), "# Rules\n");
    writeFileSync(join(some ?? "", "imprint.md"), "Grace Hopper\n");
    writeFileSync(join(none ?? "", "Rules.txt"), "no");
    writeFileSync(join(binary ?? "", "terms.md"), Buffer.from([0xc3, 0x28]));

    expect(instanceBy({ INSTANCE_PAGES: some }).pages).deep.equal({
      rules: "# Rules\n",
      imprint: "Grace Hopper\n",
    });
    expect(problemOf({ INSTANCE_PAGES: none })).match(/has none of rules\.md/);
    expect(problemOf({ INSTANCE_PAGES: binary })).match(/isn't UTF-8/);
    expect(problemOf({ INSTANCE_PAGES: join(folder, "png") })).match(/is no folder/);
  });

  it("takes three ways to sign up, which every worker knows", () => {
    for (const signUp of ["open", "invitation", "closed"])
      expect(loadWorkerConfig(whole({ SIGN_UP: signUp })).instance.signUp).equal(signUp);
    expect(problemOf({ SIGN_UP: "maybe" })).match(/^SIGN_UP must be one of/);
    for (const kind of ["api", "jobs", "realtime"] as const) expect(variablesOf(kind)).include("SIGN_UP");
  });
});
