import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { AUDIT_EVENTS } from "../../../../base/audit.ts";
import { bundleAsyncApi } from "../../../../contract/asyncapi/bundle.ts";
import { exampleFaults } from "../../../../contract/asyncapi/examples.ts";
import { serverParts } from "../../../../contract/asyncapi/messages.ts";
import { asyncApiFaults } from "../../../../contract/asyncapi/official-schema.ts";
import { isCommand, readAsyncApi } from "../../../../contract/asyncapi-document.ts";
import { isObject, walk } from "../../../../contract/json.ts";
import { bundle } from "../../../../contract/openapi/bundle.ts";
import { readOpenApi } from "../../../../contract/openapi-document.ts";
import { isOfSchema } from "../../../support/frames/check.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const document = readAsyncApi();
const { messages, schemas } = document.components;

/** The text of all modules of these folders. */
function sourceOf(...folders: string[]): string {
  return folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8")),
    )
    .join("\n");
}

const found = (source: string, pattern: RegExp) =>
  new Set([...source.matchAll(pattern)].map((match) => match[1] ?? ""));

/** Whether a schema says what it is; `details` of errors alone may be anything (docs/interface.md#7-errors). */
function isTyped(schema: Record<string, unknown>): boolean {
  if (schema.type === "object") return isObject(schema.properties) || schema.additionalProperties === true;
  return ["type", "$ref", "const", "enum", "oneOf", "anyOf", "allOf"].some((keyword) => keyword in schema);
}

describe("The AsyncAPI document", () => {
  it("is what its YAML says", () => {
    expect(JSON.parse(JSON.stringify(bundleAsyncApi(bundle())))).deep.equal(document);
  });

  it("is one by AsyncAPI's own schema, which refuses what isn't", function () {
    this.timeout(60_000);
    const broken = structuredClone(document) as unknown as Record<string, unknown>;
    Object.assign(broken, { channels: { chat: { address: 7 } } });

    expect(asyncApiFaults({ ...document })).deep.equal([]);
    expect(asyncApiFaults(broken)).not.deep.equal([]);
  });

  it("has the version of the OpenAPI document", () => {
    expect(document.info.version).equal(readOpenApi().info.version);
  });

  it("takes what REST knows too from there, and describes nothing twice", () => {
    const rest = readOpenApi().components.schemas;
    const own = Object.keys(schemas).filter((name) => !(name in rest));
    const bodyOf = (schema: object) => JSON.stringify({ ...schema, description: undefined });
    const restBodies = new Map(Object.entries(rest).map(([name, schema]) => [bodyOf(schema), name]));

    for (const name of Object.keys(schemas).filter((one) => one in rest)) {
      expect(schemas[name], name).deep.equal(rest[name]);
    }
    const objects = own.filter((name) => schemas[name]?.type === "object");
    const twice = objects.filter((name) => restBodies.has(bodyOf(schemas[name] ?? {})));
    expect(twice).deep.equal([]);
    expect(Object.keys(schemas)).include.members([
      "ChatMessage",
      "ChatModes",
      "UserSummary",
      "Prediction",
      "Error",
    ]);
  });

  it("leaves no payload without a type", () => {
    const untyped: string[] = [];
    for (const [name, schema] of Object.entries(schemas)) {
      if (!isTyped(schema)) untyped.push(name);
      walk(schema, ({ properties, items }) => {
        const parts = [...Object.entries(isObject(properties) ? properties : {}), ["items", items] as const];
        for (const [part, value] of parts) {
          if (isObject(value) && !isTyped(value)) untyped.push(`${name}.${part}`);
        }
      });
    }
    const free = Object.entries(schemas).filter(([, schema]) =>
      JSON.stringify(schema).includes('"additionalProperties":true'),
    );

    expect(untyped).deep.equal([]);
    expect(free.map(([name]) => name)).deep.equal(["Error"]);
  });

  for (const [name, { summary, examples, payload, "x-topics": topics }] of Object.entries(messages)) {
    it(`shows ${name} in words and in examples that are valid`, () => {
      const schema = payload.$ref.slice(payload.$ref.lastIndexOf("/") + 1);

      expect(summary).match(/\w.*\.$/);
      expect(examples).not.deep.equal([]);
      for (const example of examples) {
        expect(isOfSchema(schema, example.payload)).equal(true);
        if (topics) expect(isOfSchema("ServerMessage", example.payload)).equal(true);
        else if (name !== "frame") expect(isOfSchema("Command", example.payload)).equal(true);
      }
    });
  }

  it("isn't made of examples that aren't of their schemas, or say more than those", () => {
    const broken = structuredClone(document);
    const { hello, "room.epoch": epoch } = broken.components.messages;
    if (!hello || !epoch) throw new Error("hello and room.epoch");
    hello.examples[0] = { name: "usual", payload: { type: "hello", data: {} } };
    Object.assign(Object(epoch.examples[0]?.payload).data, { secret: 1 });

    expect(exampleFaults({ ...document })).deep.equal([]);
    const faults = exampleFaults({ ...broken });
    expect(faults.filter((fault) => fault.startsWith("hello, "))).not.deep.equal([]);
    expect(faults.at(-1)).equal(
      'room.epoch, example "usual": /data must NOT have additional properties {"additionalProperty":"secret"}',
    );
  });

  for (const [title, message] of [
    ["beside a room's log that doesn't say who gets it", { seq: "none" }],
    ["for an unknown audience", { seq: "none", for: "mods" }],
    ["of a room's log that is for moderators alone", { seq: "log", for: "moderators" }],
  ] as const)
    it(`refuses a message ${title}`, () => {
      const source = { "chat.flagged": { summary: "Flagged.", data: {}, example: {}, ...message } };
      expect(() => serverParts(source, { chat: { messages: ["chat.flagged"] } })).throw("chat.flagged");
    });

  it("says in words which messages moderators or one user alone get", () => {
    for (const { name, summary, "x-for": audience } of Object.values(messages)) {
      if (audience === "moderators")
        expect(summary, name).match(/^Sent only to (the owner and )?moderators:/);
      if (audience === "everybody") expect(summary, name).not.include("Sent only");
    }
  });

  it("has each message that the code sends, and the code sends each that it has", () => {
    const composed = readFileSync(join(root, "deploy/processes/workers/core.ts"), "utf8");
    const source = sourceOf("actors", "realtime", "jobs", "api") + composed;
    const documented = Object.keys(messages).filter((name) => messages[name]?.["x-topics"]);
    const kinds = new Set(documented.filter((name) => name.includes(".")).map((name) => name.split(".")[0]));
    const sent = new Set([
      ...found(source, new RegExp(`"((?:${[...kinds].join("|")})\\.[a-z_]+)"`, "g")),
      ...found(source, /\bmessage\(\s*"([a-z.]+)"/g),
      ...found(source, /\btype: "(reply|error|whisper|notification)"/g),
    ]);
    const commands = Object.keys(messages).filter((name) => messages[name] && isCommand(messages[name]));
    // Requests with a key have a name, too.
    for (const name of found(source, /\boperation: "([a-z]+\.[a-z._]+)"/g)) sent.delete(name);
    // Orders among workers, names of the audit log, and what other services report or are sent: no client sees them.
    const reports = [
      ...["cancelled", "expired", "payment_failed", "renewed", "resumed"].map(
        (name) => `subscription.${name}`,
      ),
      ...["tip.completed", "tip.refunded", "stream.idle", "stream.thumbnail", "stream.qualities"],
      "stream.delete_thumbnails",
    ];
    for (const other of [...commands, "room.notice", ...reports, ...Object.keys(AUDIT_EVENTS)])
      sent.delete(other);

    expect([...sent].sort()).deep.equal(documented.sort());
  });

  it("has each command that the gateway carries out, and no other", () => {
    const source = readFileSync(join(root, "realtime/gateway/commands.ts"), "utf8");
    const commands = Object.keys(messages).filter((name) => messages[name] && isCommand(messages[name]));

    expect([...found(source, /case "([a-z.]+)":/g)].sort()).deep.equal(commands.sort());
  });

  it("has each code that the gateway closes with, and no other", () => {
    const codes = document["x-close-codes"];
    const fromServer = codes.filter(({ from }) => from === "server").map(({ name }) => name);
    const fromClient = codes.filter(({ from }) => from === "client").map(({ name }) => name);

    expect([...found(sourceOf("realtime/gateway"), /CLOSE_CODES\.(\w+)/g)].sort()).deep.equal(
      fromServer.sort(),
    );
    expect([...found(sourceOf("clients/typescript/src/sockets"), /CLOSE_CODES\.(\w+)/g)]).deep.equal(
      fromClient,
    );
    // No code by its number beside the table.
    expect([...found(sourceOf("realtime/gateway"), /\b(?:end\(|code:)\s*(\d{4})/g)]).deep.equal([]);
  });

  it("has the addresses at which sockets are served, with what their queries may hold", () => {
    const addresses = Object.values(document.channels).map(({ address }) => address);

    expect(addresses).have.members([
      "/v1/ws",
      "/v1/ws/user",
      "/v1/ws/chat/{stream_id}",
      "/v1/ws/viewers/{stream_id}",
    ]);
    const source = sourceOf("realtime/gateway");
    const read = [...found(source, /getQuery\("(\w+)"\)/g)].sort();
    expect(queriesOf(document)).deep.equal(read);
    expect([...found(source, /"(\/v1\/ws[^"]*)"/g)], "an address of the gateway's own").deep.equal([]);
  });
});

function queriesOf(value: unknown): string[] {
  const names = new Set<string>();
  walk(value, ({ ws }) => {
    if (isObject(ws) && isObject(ws.query) && isObject(ws.query.properties)) {
      for (const name of Object.keys(ws.query.properties)) names.add(name);
    }
  });
  return [...names].sort();
}
