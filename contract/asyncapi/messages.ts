import { isObject, type JsonObject } from "../json.ts";
import { type Parts, pascal, refTo } from "./parts.ts";

const TOPIC_SCHEMAS: Record<string, string> = {
  connection: "Topic",
  chat: "ChatTopic",
  viewers: "ViewersTopic",
  user: "UserTopic",
};
const EXAMPLE_STREAM = "01a2b3c4-d5e6-7f80-91a2-b3c4d5e6f708";

/** Each message of the server with its schema, all of them as one schema, and the frame that they travel in. Completes `topics`. */
export function serverParts(source: JsonObject, topics: JsonObject): Parts {
  placeOn(topics, source);
  const schemas: JsonObject = {};
  const messages: JsonObject = {};
  const kinds: JsonObject[] = [];
  const shown: unknown[] = [];
  for (const [type, message] of Object.entries(source)) {
    if (!isObject(message)) throw new Error(`${type} is no object`);
    const on = topicsOf(type, message);
    const name = `${pascal(type)}${type.includes(".") ? "Event" : "Message"}`;
    const payload = message.seq === "own" ? message.payload : refTo(name);
    if (message.seq !== "own") schemas[name] = schemaOf(type, message, on);
    const example = exampleOf(type, message, on);
    messages[type] = {
      name: type,
      title: type,
      summary: message.summary,
      payload,
      "x-topics": on,
      ...audienceOf(type, message, on),
      examples: [{ name: "usual", payload: example }],
    };
    kinds.push({ ...(isObject(payload) ? payload : {}) });
    if (type === "hello" || type === "viewers.count") shown.push(example);
  }
  schemas.ServerMessage = { oneOf: kinds };
  schemas.ServerFrame = { type: "array", minItems: 1, items: refTo("ServerMessage") };
  messages.frame = {
    name: "frame",
    title: "frame",
    payload: refTo("ServerFrame"),
    summary: "All that the server sends: messages in an array, in their order.",
    description: "Each is of a kind that its `type` names; a client leaves out what it doesn't know.",
    examples: [{ name: "usual", payload: shown }],
  };
  return { schemas, messages };
}

/** Adds to each topic the messages that it brings; throws for an unknown topic, and for one that brings none. */
function placeOn(topics: JsonObject, source: JsonObject): void {
  const brought = new Map<string, string[]>(Object.keys(topics).map((topic) => [topic, []]));
  for (const [type, message] of Object.entries(source)) {
    for (const topic of isObject(message) ? topicsOf(type, message) : []) {
      const types = brought.get(topic);
      if (!types) throw new Error(`${type}: on names ${topic}, which isn't in x-topics of asyncapi.yaml`);
      types.push(type);
    }
  }
  for (const [topic, types] of brought) {
    if (types.length === 0) throw new Error(`the topic ${topic} brings nothing`);
    const described = topics[topic];
    if (isObject(described)) described.messages = types;
  }
}

function topicsOf(type: string, { on }: JsonObject): string[] {
  if (!Array.isArray(on) || on.length === 0) throw new Error(`${type}: on says which topics bring it`);
  return on.map(String);
}

/** Who in a room gets a message. What is in its log goes to everybody; no message beside it does without saying so. */
function audienceOf(type: string, { seq, for: audience }: JsonObject, on: string[]): JsonObject {
  if (seq !== "none" || !on.includes("chat")) {
    if (audience !== undefined) throw new Error(`${type}: only messages beside a room's log have \`for\``);
    return {};
  }
  if (audience !== "everybody" && audience !== "moderators" && audience !== "socket")
    throw new Error(`${type}: for is everybody, moderators or socket`);
  return { "x-for": audience };
}

function schemaOf(type: string, { seq, data }: JsonObject, on: string[]): JsonObject {
  if (seq !== "log" && seq !== "none") throw new Error(`${type}: seq is log, none or own`);
  const isLogged = seq === "log";
  // Rooms and users have logs; the viewers topic has no sequence numbers.
  const isNumbered = !on.includes("viewers");
  const schema: JsonObject = {
    type: "object",
    required: ["type", "channel", ...(isLogged && isNumbered ? ["seq"] : []), "data"],
    properties: {
      type: { type: "string", const: type },
      channel: channelOf(on),
      ...(isLogged ? { seq: refTo("Seq") } : {}),
      data,
    },
  };
  if (!isLogged || isNumbered) return schema;
  const then = { required: ["seq"] };
  return { ...schema, if: { properties: { channel: refTo("ChatTopic") } }, then, else: { not: then } };
}

function channelOf(on: string[]): JsonObject {
  const refs = on.map((topic) => refTo(TOPIC_SCHEMAS[topic] ?? "Topic"));
  const [only] = refs;
  return refs.length === 1 && only ? only : { oneOf: refs };
}

function exampleOf(type: string, { seq, example }: JsonObject, on: string[]): unknown {
  if (seq === "own") return example;
  const topic = on.includes("chat") || on.includes("connection") ? "chat" : on[0];
  const channel = topic === "user" ? "user" : `${topic}:${EXAMPLE_STREAM}`;
  return { type, channel, ...(seq === "log" ? { seq: 43 } : {}), data: example };
}
