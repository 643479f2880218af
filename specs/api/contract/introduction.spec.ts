import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { ServiceError } from "../../../contract/errors.ts";
import { operationsOf, parametersOf, readOpenApi } from "../../../contract/openapi-document.ts";
import type { OperationId } from "../../support/api.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { openWorld, type World } from "../../support/world.ts";
import { openApp } from "./open-app.ts";
import { createSampler } from "./sample.ts";

const document = readOpenApi();
const operations = operationsOf(document);
const sampler = createSampler(document);

const text = readFileSync(new URL("../../../contract/openapi/introduction.md", import.meta.url), "utf8");
const blocks = (language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    (match) => match[1] ?? "",
  );

const WINDOWS: Record<string, number> = {
  "a minute": 60,
  "in 10 minutes": 600,
  "an hour": 3_600,
  "a day": 86_400,
};

describe("the introduction of the REST interface", () => {
  let world: World;
  let folder: string;

  before(async () => {
    world = await openWorld({ stores: openOwnStores });
    folder = mkdtempSync(join(tmpdir(), "livecore-introduction-"));
  });

  after(async () => {
    rmSync(folder, { recursive: true });
    await world.close();
  });

  /** The shell's exit code and what it printed. */
  async function run(script: string): Promise<{ code: unknown; output: string }> {
    const shell = spawn("sh", ["-eux", "-c", script], { cwd: folder });
    let output = "";
    const keep = (chunk: unknown) => {
      output += String(chunk);
    };
    shell.stdout.on("data", keep);
    shell.stderr.on("data", keep);
    const [code] = await once(shell, "close");
    return { code, output };
  }

  it("has commands that work as they stand, one after the other", async function () {
    if ((await run("curl --version")).code !== 0) return this.skip();
    const script = blocks("sh").join("\n").replace("http://127.0.0.1:8080", world.baseUrl);

    const { code, output } = await run(script);

    expect(code, output).equal(0);
    expect(output)
      .match(/^ratelimit-policy: .*;w=60;name="default"/im)
      .include('"ticket":');
    expect(script).include("curl").include(world.baseUrl);
  });

  it("shows an error as it is answered", async () => {
    const answer = await world.api.call("getStream", { params: { stream_id: "not-a-uuid" } });

    expect(blocks("json").map((shown) => JSON.parse(shown))).deep.equal([answer.body]);
  });

  it("says how often requests may come, as operations do", async () => {
    const refuse = () => {
      throw new ServiceError("not_found");
    };
    const app = await openApp(
      ({ bind }) => {
        for (const { operation } of operations) bind(operation.operationId as OperationId, refuse);
      },
      { factor: 1, trustedProxies: ["127.0.0.1"] },
    );
    try {
      // An address that no other spec's requests count for.
      const from = {
        "x-forwarded-for": `2001:db8:${randomBytes(2).toString("hex")}:${randomBytes(2).toString("hex")}::1`,
      };
      const policyOf = async (
        path: string,
        { headers, ...init }: RequestInit & { headers?: Record<string, string> } = {},
      ) =>
        (await fetch(app.baseUrl + path, { ...init, headers: { ...headers, ...from } })).headers.get(
          "ratelimit-policy",
        );
      const bearer = { authorization: `Bearer ${app.newToken()}` };

      expect(text).include("600 a minute per signed-in user, 300 a minute per address");
      expect(await policyOf("/v1/users/me", { headers: bearer })).equal('600;w=60;name="default"');
      expect(await policyOf("/v1/streams")).equal('300;w=60;name="default"');
      for (const { method, path, operation } of operations) {
        const { "x-rate-limit": bucket, description, requestBody } = operation;
        if (bucket === undefined || bucket === "none") continue;
        const [, count, unit] =
          /^Limit: (\d+) (a minute|in 10 minutes|an hour|a day) /m.exec(description) ?? [];
        const body = requestBody ? JSON.stringify(requestBody.content["application/json"]?.example) : null;
        const headers = { ...bearer, "content-type": "application/json" };
        const query = parametersOf(document, operation)
          .filter(({ in: place, required }) => place === "query" && required === true)
          .map(({ name, example }): [string, string] => [name, String(example)]);
        const target = path.replaceAll(
          /\{(\w+)\}/g,
          (_match, name) => sampler.pathParams(operation)[name] ?? "",
        );
        const policy = await policyOf(
          query.length === 0 ? target : `${target}?${new URLSearchParams(query)}`,
          {
            method: method.toUpperCase(),
            headers,
            body,
          },
        );
        expect(policy).equal(`${count};w=${WINDOWS[unit ?? ""]};name="${bucket}"`);
      }
    } finally {
      await app.close();
    }
  });

  it("says how large a query and a body may be, as these are refused", async () => {
    const rulesOf = async (path: string, init: RequestInit = {}): Promise<string[]> => {
      const answer: unknown = await (await fetch(world.baseUrl + path, init)).json();
      return [...JSON.stringify(answer).matchAll(/"rule":"(\w+)"/g)].map(([, rule = ""]) => rule);
    };
    const queryOf = (count: number) => Array.from({ length: count }, (_, n) => `a${n}=1`).join("&");
    const post = (body: string) =>
      rulesOf("/v1/auth/login", { method: "POST", headers: { "content-type": "application/json" }, body });
    const nested = (levels: number) => `${"[".repeat(levels)}1${"]".repeat(levels)}`;
    const [, parameters = ""] = /at most (\d+) parameters/.exec(text) ?? [];
    const [, levels = ""] = /(\d+) levels of objects/.exec(text) ?? [];

    expect(await rulesOf(`/v1/streams?${queryOf(Number(parameters))}`)).not.include("maxProperties");
    expect(await rulesOf(`/v1/streams?${queryOf(Number(parameters) + 1)}`)).include("maxProperties");
    expect(await post(nested(Number(levels)))).not.include("size");
    expect(await post(nested(Number(levels) + 1))).include("size");
  });

  it("leads to pages that there are", async () => {
    const paths = new Set(
      [...text.matchAll(/`?(?:GET|POST) (\/v1\/[a-z/-]+)`/g)].map((match) => match[1] ?? ""),
    );
    expect(paths.size).above(0);
    for (const path of paths) expect((await fetch(world.baseUrl + path)).status, path).not.equal(404);
  });
});
