import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { runOnProject } from "../support/made-up-project.ts";

const CHECK = fileURLToPath(new URL("../runner/import-direction.mjs", import.meta.url));

const checked = (modules: Record<string, string>) => runOnProject(CHECK, modules);

const CLOSED: readonly [what: string, from: string, to: string][] = [
  ["the store to know actors", "store/mongo/a.ts", "actors/b.ts"],
  ["rooms to know actors", "realtime/rooms/a.ts", "actors/b.ts"],
  ["actors to know the API", "actors/raid/a.ts", "api/b.ts"],
  ["the API to know the gateway", "api/chat/a.ts", "realtime/gateway/b.ts"],
  // It is handed slices of theirs: realtime/gateway/deps.ts.
  ["the gateway to know actors", "realtime/gateway/a.ts", "actors/b.ts"],
  ["the gateway to know jobs", "realtime/gateway/a.ts", "jobs/b.ts"],
  ["one socket to know feeds", "realtime/gateway/socket/a.ts", "realtime/gateway/feed/b.ts"],
  ["a feed to know who follows it", "realtime/gateway/feed/a.ts", "realtime/gateway/channels/b.ts"],
  ["channels to know the gateway that opens them", "realtime/gateway/channels/a.ts", "realtime/gateway/b.ts"],
  ["jobs to know the API", "jobs/a.ts", "api/b.ts"],
  ["anyone to know deploy", "api/a.ts", "deploy/b.ts"],
  ["the service to know its specs", "api/a.ts", "specs/support/b.ts"],
  ["the client to know anything of the service", "clients/typescript/src/a.ts", "specs/contract/b.ts"],
  ["pages to know anything of the service", "web/src/a.tsx", "store/b.ts"],
  ["the contract to know anybody", "specs/contract/a.ts", "store/b.ts"],
];

describe("The import direction check", () => {
  for (const [what, from, to] of CLOSED) {
    it(`doesn't allow ${what}`, async () => {
      const up = "../".repeat(from.split("/").length - 1);

      const { code, output } = await checked({
        [from]: `import { b } from "${up}${to}";\n`,
        [to]: "export const b = 1;\n",
      });

      expect(code).equal(1);
      expect(output).include(from).include(to);
    });
  }

  it("doesn't allow specs to put the service together in a way of their own", async () => {
    const source = `import { createApp } from "../../api/http/app.ts";\n`;
    const app = { "api/http/app.ts": "export const createApp = 1;\n" };

    const { code, output } = await checked({ ...app, "specs/api/own.spec.ts": source });
    const types = await checked({ ...app, "specs/api/own.spec.ts": source.replace("import", "import type") });

    expect(code).equal(1);
    expect(output).include("specs/api/own.spec.ts").include("deploy/processes/workers/serve-http.ts");
    expect(types.code).equal(0);
  });

  it("sees every way to import", async () => {
    const ways = [
      `import type { B } from "../api/b.ts";`,
      `import "../api/b.ts";`,
      `export { b } from "../api/b.ts";`,
      `export * from "../api/b.ts";`,
      `const b = await import("../api/b.ts");`,
      `import {\n  one,\n  two,\n} from "../api/b.ts";`,
    ];
    for (const way of ways) {
      const { code } = await checked({ "store/a.ts": `${way}\n`, "api/b.ts": "export const b = 1;\n" });
      expect(code, way).equal(1);
    }
  });

  it("doesn't allow folders of an area to import each other in a circle", async () => {
    const { code, output } = await checked({
      "actors/raid/a.ts": `import type { B } from "../points/b.ts";\n`,
      "actors/points/b.ts": `import { c } from "../host/c.ts";\nexport type B = typeof c;\n`,
      "actors/host/c.ts": `import "../raid/d.ts";\nexport const c = 1;\n`,
      "actors/raid/d.ts": "export {};\n",
      "actors/e.ts": `import "./host/c.ts";\n`,
    });

    expect(code).equal(1);
    expect(output).include("actors/raids/raid leads back").include("5 modules, 3 faults");
    for (const area of ["deploy", "clients/typescript/src", "contract"]) {
      const ofAFolder = await checked({
        [`${area}/a.ts`]: `import "./rest/b.ts";\n`,
        [`${area}/rest/b.ts`]: `import "../c.ts";\n`,
        [`${area}/c.ts`]: "export {};\n",
      });
      expect(ofAFolder.output, area).include(`${area}/rest leads back`);
    }
  });

  it("allows the open directions and packages", async () => {
    const { code, output } = await checked({
      "deploy/a.ts": `import { b } from "../api/b.ts";\nimport express from "express";\n`,
      "api/b.ts": `import { c } from "../actors/c.ts";\n`,
      "actors/c.ts": `import { d } from "../store/d.ts";\n// import { x } from "../api/b.ts";\n`,
      "store/d.ts": `import { e } from "../specs/contract/e.ts";\n`,
      "specs/contract/e.ts": "export const e = 1;\n",
    });

    expect(output).include("5 modules, 0 faults");
    expect(code).equal(0);
  });

  it("fails on an import of nothing, on a module in no area, and when it sees no module", async () => {
    expect((await checked({ "store/a.ts": `import "./gone.ts";\n` })).output).include("doesn't exist");
    expect((await checked({ "realtime/a.ts": "export {};\n" })).output).include("no area");
    expect((await checked({ "elsewhere/a.ts": "export {};\n" })).code).equal(1);
  });
});
