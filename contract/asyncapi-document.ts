import { readFileSync } from "node:fs";
import type { ErrorCode } from "./errors.ts";
import type { JsonSchema, Ref } from "./openapi-document.ts";
import type { NeededScopes, Scope } from "./scopes.ts";

export type SocketMessage = {
  name: string;
  summary: string;
  description?: string;
  payload: Ref;
  examples: { name: string; payload: unknown }[];
  /** Of server messages: the topics that carry it. */
  "x-topics"?: string[];
  /** Of messages beside a room's log: who in the room gets it; `socket`: one, to which the gateway sends it by itself. */
  "x-for"?: "everybody" | "moderators" | "socket";
  /** Of commands: the schema of the reply's data, and the codes that refuse it. */
  "x-result"?: Ref;
  "x-errors"?: ErrorCode[];
  /** Of commands: the scopes that a personal API token needs; `topic`: those of the topic. */
  "x-scopes"?: NeededScopes | "topic";
};

type CloseCode = {
  code: number;
  name: string;
  /** `nobody`: not sent at present. */
  from: "client" | "server" | "nobody";
  comeBack: boolean;
  meaning: string;
};

export type SocketChannel = {
  address: string;
  title: string;
  description: string;
  parameters?: Record<string, { description: string }>;
  bindings: Ref;
  "x-refusals": ErrorCode[];
  "x-sign-in"?: "required";
};

type SocketTopic = {
  name: string;
  description: string;
  messages: string[];
  /** The scopes that a personal API token needs to follow it, and for its moderator-only messages. */
  scopes?: Scope[];
  moderatorScopes?: Scope[];
};

export type AsyncApiDocument = {
  asyncapi: string;
  info: { title: string; version: string; description: string };
  channels: Record<string, SocketChannel>;
  "x-topics": Record<string, SocketTopic>;
  "x-close-codes": CloseCode[];
  components: { messages: Record<string, SocketMessage>; schemas: Record<string, JsonSchema> };
};

/** The bundled document (`asyncapi/bundle.ts` and AsyncAPI's own schema hold it to its form, so it isn't checked again). */
export function asAsyncApi(bundled: unknown): AsyncApiDocument {
  return bundled as AsyncApiDocument;
}

let asyncApi: AsyncApiDocument | null = null;

/** Read once per process: don't change it. */
export function readAsyncApi(): AsyncApiDocument {
  asyncApi ??= asAsyncApi(
    JSON.parse(readFileSync(new URL("./generated/asyncapi.json", import.meta.url), "utf8")),
  );
  return asyncApi;
}

/** Commands are the messages with a result. */
export const isCommand = (message: SocketMessage): boolean => message["x-result"] !== undefined;
