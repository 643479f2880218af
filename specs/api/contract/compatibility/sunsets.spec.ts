import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { brokenPromises } from "../../../../contract/compatibility/openapi.ts";
import type { JsonObject } from "../../../../contract/json.ts";
import { bundle } from "../../../../contract/openapi/bundle.ts";
import type { OpenApiDocument } from "../../../../contract/openapi-document.ts";
import { type OpenedApp, openApp } from "../open-app.ts";
import { at, operation, schema, without } from "./document-parts.ts";

const VIEWERS = "/v1/streams/{stream_id}/viewers";
const STREAM = "6ba7b810-9dad-41d1-80b4-00c04fd430c8";
const SINCE = "2026-01-31";
const UNTIL = "2026-12-01";

type Mark = { file: string; at: string; lines: string };
const marks = (since: string, until: string) =>
  `deprecated: true, x-deprecated-since: "${since}", x-sunset: "${until}"`;
const anOperation = (since = SINCE, until = UNTIL): Mark => ({
  file: "viewers.yaml",
  at: "      operationId: getViewerCount\n",
  lines: `      deprecated: true\n      x-deprecated-since: "${since}"\n      x-sunset: "${until}"\n`,
});

/** The document as it would be with that in one of its files. */
function bundledWith({ file, at, lines }: Mark): JsonObject {
  const folder = mkdtempSync(join(tmpdir(), "livecore-openapi-"));
  try {
    cpSync(new URL("../../../../contract/openapi/", import.meta.url), folder, { recursive: true });
    const path = join(folder, file);
    const text = readFileSync(path, "utf8");
    if (!text.includes(at)) throw new Error(`${file} has no ${at}`);
    writeFileSync(path, text.replace(at, `${at}${lines}`));
    return bundle(pathToFileURL(`${folder}/`));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("What is deprecated", () => {
  it("says since when, and when it goes: half a year later at the earliest", () => {
    expect(() => bundledWith(anOperation(SINCE, "soon"))).throw(/needs x-deprecated-since and x-sunset/);
    expect(() => bundledWith({ ...anOperation(), lines: "      deprecated: true\n" })).throw(
      /getViewerCount/,
    );
    expect(() => bundledWith({ ...anOperation(), lines: `      x-sunset: "${UNTIL}"\n` })).throw(
      /isn't deprecated/,
    );
    expect(() => bundledWith(anOperation("2026-01-31", "2026-07-29"))).throw(/before 180 days/);
    expect(() => bundledWith(anOperation("2026-01-31", "2026-07-30"))).not.throw();
  });

  it("is announced by each operation that has it: itself, a parameter, a field", () => {
    const announcing = (mark: Mark) =>
      Object.entries(at(bundledWith(mark), "paths"))
        .flatMap(([path, item]) => Object.entries(Object(item)).map(([method, one]) => [path, method, one]))
        .filter(([, , one]) => "x-announces" in Object(one))
        .map(([path, method]) => `${method} ${path}`);
    expect(announcing(anOperation())).deep.equal([`get ${VIEWERS}`]);
    const field = {
      file: "viewers.yaml",
      at: "viewer_count: { type: integer",
      lines: `, ${marks(SINCE, UNTIL)}`,
    };
    expect(announcing(field)).include.members([`get ${VIEWERS}`, "post /v1/viewers/heartbeat"]);
    const parameter = { file: "playback.yaml", at: "        - name: protocol\n", lines: "" };
    const within = `          deprecated: true\n          x-deprecated-since: "${SINCE}"\n          x-sunset: "${UNTIL}"\n`;
    expect(announcing({ ...parameter, lines: within })).deep.equal(["get /v1/streams/{stream_id}/playback"]);
  });

  it("may be gone once its sunset has passed, and not before; the sunset doesn't come earlier", () => {
    const [before, after] = [bundledWith(anOperation()), bundledWith(anOperation())];
    without(at(after, "paths"), VIEWERS);
    expect(brokenPromises(before, after, Date.parse("2026-11-30T23:59:59Z"))).deep.equal([
      `GET ${VIEWERS}: is gone`,
    ]);
    expect(brokenPromises(before, after, Date.parse(UNTIL))).deep.equal([]);
    const earlier = bundledWith(anOperation(SINCE, "2026-11-30"));
    expect(brokenPromises(before, earlier, 0)).deep.equal([`GET ${VIEWERS}: goes earlier than announced`]);
    expect(brokenPromises(before, bundledWith(anOperation(SINCE, "2027-01-01")), 0)).deep.equal([]);
  });

  it("may be a field that goes by itself", () => {
    const field = {
      file: "viewers.yaml",
      at: "viewer_count: { type: integer",
      lines: `, ${marks(SINCE, UNTIL)}`,
    };
    const [before, after] = [bundledWith(field), bundledWith(field)];
    without(at(schema(after, "ViewerCount"), "properties"), "viewer_count");
    expect(brokenPromises(before, after, Date.parse(UNTIL) - 1).join("\n")).include("viewer_count: is gone");
    expect(brokenPromises(before, after, Date.parse(UNTIL))).deep.equal([]);
  });
});

describe("Answers of what is deprecated", () => {
  let app: OpenedApp;
  before(async () => {
    const marked = bundledWith(anOperation());
    expect(operation(marked, "get", VIEWERS)).nested.property("responses.200.headers.Deprecation");
    const document: OpenApiDocument = JSON.parse(JSON.stringify(marked));
    app = await openApp(
      ({ bind }) => {
        bind("getViewerCount", () => ({ viewer_count: 1 }));
        bind("getHealth", () => ({ status: "ok" }));
      },
      { document },
    );
  });
  after(() => app?.close());

  const announced = ({ headers }: Response) =>
    ["deprecation", "sunset", "link"].map((name) => headers.get(name));

  it("announce since when, and until when, also those that refuse and those that were kept", async () => {
    const page = "/docs/#/viewers/getViewerCount";
    const headers = [
      `@${Date.parse(SINCE) / 1_000}`,
      "Tue, 01 Dec 2026 00:00:00 GMT",
      `<${page}>; rel="deprecation"; type="text/html", <${page}>; rel="sunset"; type="text/html"`,
    ];
    for (const [id, status] of [
      [STREAM, 200],
      [STREAM, 200],
      ["nothing", 400],
    ] as const) {
      const answer = await fetch(`${app.baseUrl}/v1/streams/${id}/viewers`);
      expect([answer.status, ...announced(answer)]).deep.equal([status, ...headers]);
    }
  });

  it("are those of no other operation", async () => {
    expect(announced(await fetch(`${app.baseUrl}/healthz`))).deep.equal([null, null, null]);
  });
});
