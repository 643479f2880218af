import { type AsyncApiDocument, asAsyncApi } from "../asyncapi-document.ts";
import { isObject, type JsonObject, objectAt, walk } from "../json.ts";

const HEAD = (document: string) => `/** Made from the ${document} document by \`npm run generate\`. */\n`;

/** Who may call each operation, as a type from which handlers know their caller. */
export function accessTypesOf(document: JsonObject): string {
  const lines: string[] = [];
  walk(document.paths, (object) => {
    const access = object["x-access"];
    if (!isObject(access)) return;
    const { who, channel, role = channel !== undefined } = access;
    const loads = object["x-loads"] === undefined ? "null" : `"${String(object["x-loads"])}"`;
    lines.push(
      `  ${String(object.operationId)}: { who: "${String(who)}"; loads: ${loads}; role: ${String(role)} };`,
    );
  });
  const kind = 'export type LoadedKind = NonNullable<OperationAccess[keyof OperationAccess]["loads"]>;';
  const what = "/** The kinds of resources that paths name and that are loaded before the handler. */";
  return `${HEAD("OpenAPI")}export type OperationAccess = {\n${lines.join("\n")}\n};\n\n${what}\n${kind}\n`;
}

/** What a client needs of each operation at run time. */
export function operationTableOf(document: JsonObject): string {
  const lines: string[] = [];
  for (const [path, item] of Object.entries(objectAt(document, "paths", "OpenAPI"))) {
    for (const [method, operation] of Object.entries(isObject(item) ? item : {})) {
      if (!isObject(operation)) continue;
      const access = isObject(operation["x-access"]) ? operation["x-access"].who : null;
      const facts = {
        method: method.toUpperCase(),
        path,
        who: access,
        body: bodyTypeOf(operation),
        takesKey: JSON.stringify(operation.parameters ?? []).includes("/IdempotencyKey"),
        text: textTypeOf(operation),
        empty: emptyStatusesOf(operation),
      };
      lines.push(`  ${String(operation.operationId)}: ${JSON.stringify(facts)},`);
    }
  }
  return `${HEAD("OpenAPI")}export const OPERATIONS = {\n${lines.join("\n")}\n} as const;\n`;
}

function bodyTypeOf({ requestBody }: JsonObject): string | null {
  const content = isObject(requestBody) && isObject(requestBody.content) ? requestBody.content : {};
  return Object.keys(content)[0] ?? null;
}

/** The media type of a success that is text instead of JSON. */
function textTypeOf({ responses }: JsonObject): string | null {
  const answer = isObject(responses) ? responses["200"] : undefined;
  const content = isObject(answer) && isObject(answer.content) ? answer.content : {};
  return Object.keys(content).find((type) => type !== "application/json") ?? null;
}

/** Successes without a body. */
function emptyStatusesOf({ responses }: JsonObject): number[] {
  return Object.entries(isObject(responses) ? responses : {})
    .filter(([status, answer]) => Number(status) < 300 && isObject(answer) && !("content" in answer))
    .map(([status]) => Number(status));
}

/** What both sides of the sockets need at run time, and types that combine the document's schemas. */
/** Each schema of REST as a type of its own name. */
export function schemaTypesOf(document: JsonObject): string {
  const schemas = objectAt(objectAt(document, "components", "OpenAPI"), "schemas", "OpenAPI");
  const lines = Object.keys(schemas).map((name) => `export type ${name} = components["schemas"]["${name}"];`);
  return `${HEAD("OpenAPI")}import type { components } from "./openapi.ts";\n\n${lines.sort().join("\n")}\n`;
}

export function socketTablesOf(document: JsonObject): string {
  const { channels, components, "x-topics": topics, "x-close-codes": codes } = asAsyncApi(document);
  const addresses = Object.entries(channels).map(([name, { address }]) => `  ${name}: "${address}",`);
  const results = Object.entries(components.messages).flatMap(([name, message]) => resultLine(name, message));
  const brought = Object.entries(topics).map(
    ([name, { messages }]) => `  ${name}: ${messages.map((type) => `"${type}"`).join(" | ")};`,
  );
  const audiences = (["everybody", "moderators", "socket"] as const).map((audience) => {
    const types = Object.values(components.messages).filter(({ "x-for": its }) => its === audience);
    return `  ${audience}: ${types.map(({ name }) => `"${name}"`).join(" | ")};`;
  });
  const closings = codes.map(({ name, code }) => `  ${name}: ${code},`);
  const back = codes.filter(({ comeBack }) => comeBack).map(({ code }) => code);
  const topicScopes = Object.entries(topics).flatMap(([name, { scopes }]) =>
    scopes ? [`  ${name}: ${JSON.stringify(scopes)},`] : [],
  );
  const commandScopes = Object.entries(components.messages).flatMap(([name, { "x-scopes": scopes }]) =>
    scopes ? [`  "${name}": ${JSON.stringify(scopes)},`] : [],
  );
  return [
    `${HEAD("AsyncAPI")}import type { components } from "./asyncapi.ts";\n`,
    `export const ADDRESSES = {\n${addresses.join("\n")}\n} as const;\n`,
    `export const CLOSE_CODES = {\n${closings.join("\n")}\n} as const;\n`,
    `/** Of those codes: after them a client comes back. */`,
    `export const COME_BACK_AFTER: readonly number[] = [${back.join(", ")}];\n`,
    `/** What a personal API token needs to follow a topic. */`,
    `export const TOPIC_SCOPES = {\n${topicScopes.join("\n")}\n} as const;\n`,
    `/** And for what moderators alone get of a room. */`,
    `export const MODERATOR_SCOPES = ${JSON.stringify(topics.chat?.moderatorScopes ?? [])} as const;\n`,
    `/** What it needs for a command; \`topic\`: as the topic. */`,
    `export const COMMAND_SCOPES = {\n${commandScopes.join("\n")}\n} as const;\n`,
    `/** \`data\` of the reply to each command. */`,
    `export type CommandResults = {\n${results.join("\n")}\n};\n`,
    `/** Types of the messages that each topic brings; \`connection\`: of the socket itself. */`,
    `export type TopicMessages = {\n${brought.join("\n")}\n};\n`,
    `/** Types of the messages beside a room's log, by who in the room gets them. */`,
    `export type RoomAudiences = {\n${audiences.join("\n")}\n};\n`,
  ].join("\n");
}

function resultLine(name: string, message: AsyncApiDocument["components"]["messages"][string]): string[] {
  const ref = message["x-result"]?.$ref;
  return ref ? [`  "${name}": components["schemas"]["${ref.slice(ref.lastIndexOf("/") + 1)}"];`] : [];
}
