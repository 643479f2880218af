import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { inFile } from "../in-file.ts";
import { isObject, type JsonObject, objectAt, walk, walkReached } from "../json.ts";
import { requireWords } from "../refused-rule.ts";
import { textRule } from "../text-patterns.ts";
import { commandParts } from "./commands.ts";
import { serverParts } from "./messages.ts";
import { takeSharedSchemas } from "./shared.ts";

const FOLDER = new URL("../", import.meta.url);
const ROOT = "asyncapi.yaml";
const MESSAGES = "asyncapi/messages.yaml";
const COMMANDS = "asyncapi/commands.yaml";
/** The folder's name in errors. */
const HERE = "contract/";

/**
 * Bundles the sockets' contract into one plain AsyncAPI 3 document, with copies of what it references in the bundled OpenAPI
 * document. Deterministic, byte for byte.
 */
export function bundleAsyncApi(openapi: JsonObject, folder = FOLDER): JsonObject {
  const { components: given, ...document } = read(ROOT, folder);
  const topics = objectAt(document, "x-topics", ROOT);
  const commands = inFile(`${HERE}${COMMANDS}`, () => commandParts(read(COMMANDS, folder)));
  const server = inFile(`${HERE}${MESSAGES}`, () => serverParts(read(MESSAGES, folder), topics));
  const schemas: JsonObject = {};
  for (const part of [read("asyncapi/schemas.yaml", folder), server.schemas, commands.schemas]) {
    addAll(schemas, part);
  }
  const messages = { ...server.messages, ...commands.messages };
  const bundled: JsonObject = {
    ...document,
    operations: operationsOf(objectAt(document, "channels", ROOT), Object.keys(commands.messages)),
    components: { ...(isObject(given) ? given : {}), messages, schemas },
  };
  addAll(schemas, takeSharedSchemas(bundled, openapi));
  checkUses(bundled);
  inFile(`${HERE}${COMMANDS}`, () => describeRules(bundled, commands.schemas.Command));
  return bundled;
}

function read(file: string, folder: URL): JsonObject {
  // Aliases and merge keys keep examples short.
  const content: unknown = parse(readFileSync(new URL(file, folder), "utf8"), { merge: true });
  if (!isObject(content)) throw new Error(`${file} holds no object`);
  // Aliases share one object between several places; a copy lets each be changed alone.
  return JSON.parse(JSON.stringify(content));
}

/** Each address accepts all commands and sends frames, and declares both itself. */
function operationsOf(channels: JsonObject, methods: string[]): JsonObject {
  const operations: JsonObject = {};
  for (const [name, channel] of Object.entries(channels)) {
    if (!isObject(channel)) throw new Error(`${ROOT}: the channel ${name} is no object`);
    const ref = (message: string) => ({ $ref: `#/components/messages/${message}` });
    channel.messages = Object.fromEntries(["frame", ...methods].map((message) => [message, ref(message)]));
    const within = (message: string) => ({ $ref: `#/channels/${name}/messages/${message}` });
    const here = { $ref: `#/channels/${name}` };
    const isSignedIn = channel["x-sign-in"] === "required";
    const security = isSignedIn ? { security: [{ $ref: "#/components/securitySchemes/ticket" }] } : {};
    operations[`${name}Frames`] = {
      action: "send",
      title: `What the server says on ${String(channel.address)}`,
      ...security,
      channel: here,
      messages: [within("frame")],
    };
    operations[`${name}Commands`] = {
      action: "receive",
      title: `What a client may ask for on ${String(channel.address)}`,
      ...security,
      channel: here,
      messages: methods.map(within),
      reply: { channel: here, messages: [within("frame")] },
    };
  }
  return operations;
}

function addAll(target: JsonObject, source: JsonObject): void {
  for (const [name, value] of Object.entries(source)) {
    if (name in target) throw new Error(`The sockets' contract defines ${name} a second time`);
    target[name] = value;
  }
}

/** Says `x-text` as its pattern in all that commands reach. Throws for a pattern without words, which people see when it refuses them. */
function describeRules(document: JsonObject, command: unknown): void {
  walkReached(document, command, (schema) => {
    if ("x-text" in schema) Object.assign(schema, textRule(schema["x-text"]));
    delete schema["x-text"];
    requireWords(schema);
  });
}

/** Throws for a reference that leads nowhere and for a schema that nothing refers to. */
function checkUses(document: JsonObject): void {
  const used = new Set<string>();
  walk(document, ({ $ref }) => void (typeof $ref === "string" && used.add($ref)));
  for (const ref of used) {
    let at: unknown = document;
    for (const part of ref.replace(/^#\//, "").split("/")) at = isObject(at) ? at[part] : undefined;
    if (at === undefined) throw new Error(`The sockets' contract has nothing at ${ref}`);
  }
  const schemas = objectAt(objectAt(document, "components", ROOT), "schemas", ROOT);
  const idle = Object.keys(schemas).filter((name) => !used.has(`#/components/schemas/${name}`));
  // `Command` is only for readers of the types.
  const unused = idle.filter((name) => name !== "Command");
  if (unused.length > 0) throw new Error(`Nothing refers to the schemas ${unused.join(", ")}`);
}
