import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { bundleAsyncApi } from "../../../contract/asyncapi/bundle.ts";
import { isCommand, readAsyncApi } from "../../../contract/asyncapi-document.ts";
import { readCommand } from "../../../contract/frames.ts";
import { type JsonObject, walkReached } from "../../../contract/json.ts";
import { bundle } from "../../../contract/openapi/bundle.ts";
import { operationsOf, parametersOf, readOpenApi } from "../../../contract/openapi-document.ts";
import { requireWords } from "../../../contract/refused-rule.ts";
import { textRule } from "../../../contract/text-patterns.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

/** Patterns are for programs. */
const QUOTED = /pattern|\^|\\|\[|schema/;

describe("refusals in words", () => {
  const { world } = setUpWorld();

  /** Schemas of what clients send, in both documents. Each is asked for its rules; examples are none. */
  function sentSchemas(): JsonObject[] {
    const [rest, sockets] = [{ ...readOpenApi() }, { ...readAsyncApi() }];
    const found: JsonObject[] = [];
    const seen = new Set<JsonObject>();
    const note = (document: JsonObject, schema: unknown) =>
      walkReached(document, schema, (one) => void found.push(one), seen);
    for (const { operation } of operationsOf(readOpenApi())) {
      for (const { schema } of parametersOf(readOpenApi(), operation)) note(rest, schema);
      for (const { schema } of Object.values(operation.requestBody?.content ?? {})) note(rest, schema);
    }
    for (const { payload } of Object.values(readAsyncApi().components.messages).filter(isCommand))
      note(sockets, payload);
    return found;
  }

  it("has words for each pattern that clients' values are checked with", () => {
    const rules = sentSchemas().filter(({ pattern }) => pattern);

    expect(rules).length.above(150);
    expect(rules.filter(({ "x-words": words }) => typeof words !== "string")).deep.equal([]);
  });

  it("has words for each format that clients' values are checked with", () => {
    for (const { format } of sentSchemas())
      expect(() => requireWords({ format }), String(format)).not.throw();
    expect(() => requireWords({ format: "ipv6" })).throw("needs words");
  });

  for (const [name, file, rule, made] of [
    [
      "OpenAPI",
      "openapi/openapi.yaml",
      'x-words: "ASCII characters without spaces", pattern',
      (folder: URL) => bundle(new URL("openapi/", folder)),
    ],
    [
      "AsyncAPI",
      "asyncapi/schemas.yaml",
      'x-words: "a UUID in small letters", pattern',
      (folder: URL) => bundleAsyncApi(bundle(), folder),
    ],
  ] as const) {
    it(`lets no pattern without words into the ${name} document`, () => {
      const folder = mkdtempSync(join(tmpdir(), "livecore-contract-"));
      try {
        cpSync(new URL("../../../contract/", import.meta.url), folder, { recursive: true });
        const changed = join(folder, file);
        const before = readFileSync(changed, "utf8");
        writeFileSync(changed, before.replace(rule, "pattern"));
        const make = () => made(pathToFileURL(`${folder}/`));
        expect(make).throw(/the pattern .* needs x-words/);
        writeFileSync(changed, before);
        expect(make).not.throw();
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }

  it("says one rule in the same words by REST and by socket", () => {
    const wordsOf = new Map<unknown, Set<unknown>>();
    for (const { pattern, "x-words": words } of sentSchemas())
      if (pattern) wordsOf.set(pattern, (wordsOf.get(pattern) ?? new Set()).add(words));
    const several = [...wordsOf].filter(([, words]) => words.size > 1).map(([, words]) => [...words]);

    // The rule of links is more than its pattern.
    const ofLinks = "a user name, or an http or https address";
    expect(several).deep.equal([[textRule("line")["x-words"], ofLinks]]);
  });

  it("names the rule that a value breaks, by REST", async () => {
    const REFUSED: [string, object, string][] = [
      [
        "username",
        { username: "a!" },
        "must be 3 to 25 letters (A to Z), digits and underscores, not beginning with an underscore",
      ],
      ["email", { email: "nobody" }, "must be an email address, such as name@example.org"],
      ["password", { password: "short" }, "must have at least 10 characters"],
      ["password", { password: undefined }, "is missing"],
    ];
    for (const [field, wrong, message] of REFUSED) {
      const body = {
        username: "somebody",
        email: "a@example.org",
        password: "a long phrase for specs",
        ...wrong,
      };
      const { details } = await world.api.call("register", { body });
      const found = Object(details).errors.filter(({ path }: { path: string }) => path === `/body/${field}`);
      expect(found.map((one: { message: string }) => one.message)).include(message);
      expect(found.filter((one: { message: string }) => QUOTED.test(one.message))).deep.equal([]);
    }
  });

  it("names the rule that a value breaks, by socket", () => {
    const read = readCommand(
      JSON.stringify({ id: 1, method: "chat.send", params: { channel: "chat:me", content: "hi" } }),
    );
    expect(read).deep.include({
      problems: [
        {
          path: "/params/channel",
          rule: "pattern",
          message: "must be chat:<stream_id>, the id in small letters",
        },
      ],
    });
  });

  it("says the same about an id by REST and by socket", async () => {
    const byRest = await world.api.call("getChatRoom", { params: { stream_id: "lobby" } });
    const bySocket = await new Socket(`${world.socketUrl}/v1/ws/chat/lobby`).refusal();

    expect(byRest.details).deep.equal({
      errors: [{ path: "/path/stream_id", rule: "format", message: "must be a UUID" }],
    });
    expect(Object(bySocket.body).details).deep.equal(byRest.details);
  });
});
