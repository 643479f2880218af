import type { components } from "../generated/asyncapi.ts";
import type { CommandResults, TopicMessages } from "../generated/sockets.ts";

type Schemas = components["schemas"];

/** A message from the server. Types that are newer than this client are delivered as well, with their own `type`. */
export type ServerMessage = Schemas["ServerMessage"];
export type MessageOf<Type extends ServerMessage["type"]> = Extract<ServerMessage, { type: Type }>;

type Command = Schemas["Command"];
export type CommandMethod = Command["method"];
export type CommandId = Schemas["CommandId"];
export type ParamsOf<Method extends CommandMethod> = Exclude<
  Extract<Command, { method: Method }>["params"],
  undefined
>;
export type ResultOf<Method extends CommandMethod> = CommandResults[Method];

/** `chat:<stream_id>`, `viewers:<stream_id>` or `user`. */
export type Topic = `chat:${string}` | `viewers:${string}` | "user";
type KindOf<T extends Topic> = T extends "user" ? "user" : T extends `viewers:${string}` ? "viewers" : "chat";
/** The message types of a topic, including `subscribed`. */
export type TypesOn<T extends Topic> = TopicMessages[KindOf<T>] | "subscribed";

/** Parses a frame; null when it isn't an array of messages. */
export function messagesIn(text: string): ServerMessage[] | null {
  const frame: unknown = JSON.parse(text);
  if (!Array.isArray(frame)) return null;
  // Messages follow the contract; unknown ones are passed on untouched.
  return frame.every(hasType) ? (frame as ServerMessage[]) : null;
}

const hasType = (message: unknown): boolean =>
  typeof message === "object" && message !== null && "type" in message && typeof message.type === "string";
