import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { runOnProject } from "../support/made-up-project.ts";

const CHECK = fileURLToPath(new URL("../runner/imports.mjs", import.meta.url));

const checked = (modules: Record<string, string>) => runOnProject(CHECK, modules);

/** Each is tried with modules of its own, all in one project. */
const CLOSED: readonly [what: string, from: string, to: string][] = [
  ["the base to know the store", "base/a1.ts", "store/b1.ts"],
  ["the store to know actors", "store/mongo/a2.ts", "actors/b2.ts"],
  ["rooms to know actors", "realtime/rooms/a3.ts", "actors/b3.ts"],
  ["actors to know the API", "actors/raids/a4.ts", "api/b4.ts"],
  ["the API to know the gateway", "api/chat/a5.ts", "realtime/gateway/b5.ts"],
  // It is handed slices of theirs: realtime/gateway/deps.ts.
  ["the gateway to know actors", "realtime/gateway/a6.ts", "actors/b6.ts"],
  ["the gateway to know jobs", "realtime/gateway/a7.ts", "jobs/b7.ts"],
  ["one socket to know feeds", "realtime/gateway/socket/a8.ts", "realtime/gateway/feed/b8.ts"],
  ["a feed to know who follows it", "realtime/gateway/feed/a9.ts", "realtime/gateway/channels/b9.ts"],
  ["channels to know the gateway", "realtime/gateway/channels/a10.ts", "realtime/gateway/b10.ts"],
  ["jobs to know the API", "jobs/a11.ts", "api/b11.ts"],
  ["anyone to know deploy", "api/a12.ts", "deploy/b12.ts"],
  ["the service to know its specs", "api/a13.ts", "specs/support/b13.ts"],
  ["the client to know the service", "clients/typescript/src/a14.ts", "contract/b14.ts"],
  ["pages to know the service", "web/src/a15.tsx", "store/b15.ts"],
  ["the API to know more of the pages than which there are", "api/a20.ts", "web/src/site/b20.ts"],
  ["the contract to know anybody", "contract/a16.ts", "store/b16.ts"],
  ["a context to know another one's inside", "actors/chat/a17.ts", "actors/points/ledger/b17.ts"],
  ["anyone to know a folder that is no row", "api/a19.ts", "elsewhere/b19.ts"],
  ["specs to put the service together in a way of their own", "specs/api/a18.ts", "api/http/app.ts"],
];

/** Of `../api/b.ts` by a module of the store. */
const WAYS = [
  `import type { B } from "../api/b.ts";`,
  `import "../api/b.ts";`,
  `export { b } from "../api/b.ts";`,
  `export * from "../api/b.ts";`,
  `const b = await import("../api/b.ts");`,
  `import {\n  one,\n  two,\n} from "../api/b.ts";`,
];

const upFrom = (module: string): string => "../".repeat(module.split("/").length - 1);

describe("The check of imports", () => {
  it("doesn't allow what the map closes", async () => {
    const modules = CLOSED.flatMap(([, from, to]) => [
      [from, `import { b } from "${upFrom(from)}${to}";\nexport const a = b;\n`],
      [to, "export const b = 1;\n"],
    ]);

    const { code, output } = await checked(Object.fromEntries(modules));

    expect(code).not.equal(0);
    for (const [what, from, to] of CLOSED) expect(output, `doesn't allow ${what}`).include(`${from} → ${to}`);
  });

  it("sees every way to import", async () => {
    const modules = WAYS.map((way, index) => [`store/a${index}.ts`, `${way}\n`]);

    const { output } = await checked({
      ...Object.fromEntries(modules),
      "api/b.ts": "export const b = 1;\nexport const one = 1;\nexport const two = 2;\nexport type B = 1;\n",
    });

    for (const [index, way] of WAYS.entries()) expect(output, way).include(`store/a${index}.ts → api/b.ts`);
  });

  it("doesn't allow folders to lead back to themselves", async () => {
    const circles = ["deploy", "clients/typescript/src", "contract", "actors/host"];
    const modules = circles.flatMap((area) => [
      [`${area}/one/a.ts`, `import "../other/b.ts";\n`],
      [`${area}/other/b.ts`, `import "../one/c.ts";\n`],
      [`${area}/one/c.ts`, "export {};\n"],
    ]);

    const { code, output } = await checked(Object.fromEntries(modules));

    expect(code).not.equal(0);
    for (const area of circles) expect(output).include(`folders have no circle: ${area}/one → `);
  });

  it("doesn't allow modules to lead back to themselves, be it by types", async () => {
    const { code, output } = await checked({
      "specs/support/a.ts": `import type { B } from "./b.ts";\nexport type A = B;\n`,
      "specs/support/b.ts": `import type { A } from "./a.ts";\nexport type B = A;\n`,
    });

    expect(code).not.equal(0);
    expect(output).include("modules have no circle: specs/support/a.ts → ");
  });

  it("allows open directions, packages, public files, and the types of what one module composes", async () => {
    const { code, output } = await checked({
      "deploy/a.ts": `import { b } from "../api/b.ts";\nimport express from "express";\n`,
      "api/b.ts": `import { c } from "../actors/chat/c.ts";\nexport const b = c;\n`,
      "actors/chat/c.ts": `import { d } from "../../store/d.ts";\nexport { p } from "../points/public.ts";\nexport const c = d;\n// import { x } from "../../api/b.ts";\n`,
      "actors/points/public.ts": "export const p = 1;\n",
      "store/d.ts": `import { e } from "../contract/e.ts";\nexport const d = e;\n`,
      "contract/e.ts": "export const e = 1;\n",
      "api/http/app.ts": "export type App = 1;\n",
      "specs/api/own.spec.ts": `import type { App } from "../../api/http/app.ts";\nexport type A = App;\n`,
    });

    expect(output).include("no dependency violations found");
    expect(code).equal(0);
  });

  it("fails on an import of nothing, and when it sees no module", async () => {
    const ofNothing = await checked({ "store/a.ts": `import "./gone.ts";\n` });
    const empty = await checked({ "store/a.txt": "" });

    expect(ofNothing.code).not.equal(0);
    expect(ofNothing.output).include("imports exist: store/a.ts → ./gone.ts");
    expect(empty.code).not.equal(0);
    expect(empty.output).include("No module was seen.");
  });
});
