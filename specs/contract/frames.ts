import { readFileSync } from "node:fs";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { parse } from "yaml";
import type { ErrorEnvelope } from "./errors.ts";

/**
 * The sockets' frames: `asyncapi.yaml` is the only definition, the validators come from it, and the types
 * here name what code on both sides touches.
 */

/** Spec §2 ChatMessage. `content` is empty when deleted. */
export type ChatMessage = {
  uuid: string;
  user_id: string;
  username: string;
  room_id: number;
  content: string;
  type: "message";
  /** Unix ms, as `created_at` in ISO 8601. */
  timestamp: number;
  is_deleted: boolean;
  reply_to_id: string | null;
  reply_to_user: string | null;
  created_at: string;
};

export type CommandId = number | string;

export type CommandParams = {
  subscribe: { channel: string; after?: string };
  unsubscribe: { channel: string };
  "chat.send": { channel: string; content: string; reply_to_id?: string | null; nonce?: string };
  "chat.delete": { channel: string; uuid: string };
  heartbeat: { stream_id: string; device_id?: string };
  ping: Record<string, never>;
};

export type CommandMethod = keyof CommandParams;

export type Command = {
  [Method in CommandMethod]: { id: CommandId; method: Method; params: CommandParams[Method] };
}[CommandMethod];

/** What every server message has; the contract says which of the rest its type carries. */
export type ServerMessage = {
  type: string;
  channel?: string;
  seq?: number;
  id?: CommandId;
  data?: unknown;
  error?: ErrorEnvelope;
};

export const CLOSE_CODES = {
  normal: 1000,
  goingAway: 1001,
  restart: 1012,
  authRequired: 4001,
  forbidden: 4003,
  slowConsumer: 4008,
  sessionRevoked: 4009,
  rateLimited: 4029,
  badRequest: 4400,
} as const;

/** Types that travel without `seq`, beside the room's log: only the latest matters, or only moderators see them. */
export function isOutsideLog(type: string): boolean {
  return (
    type === "prediction.progress" ||
    type === "chat.poll_progress" ||
    type === "viewers.count" ||
    type.startsWith("mod.")
  );
}

const DOCUMENT = "asyncapi.json";
const document: unknown = parse(readFileSync(new URL("./asyncapi.yaml", import.meta.url), "utf8"));
const ajv = new Ajv2020({ strict: false, allErrors: false });
ajv.addSchema({ $id: DOCUMENT, ...requireObject(document) });

const compiled = new Map<string, ValidateFunction>();

function validatorAt<T>(pointer: string): ValidateFunction<T> | null {
  const known = compiled.get(pointer) ?? ajv.getSchema(`${DOCUMENT}#${pointer}`);
  if (!known) return null;
  compiled.set(pointer, known);
  return known as ValidateFunction<T>;
}

function requireValidator<T>(pointer: string): ValidateFunction<T> {
  const validator = validatorAt<T>(pointer);
  if (!validator) throw new Error(`asyncapi.yaml has nothing at ${pointer}`);
  return validator;
}

const isEnvelope = requireValidator<{ id: CommandId; method: string; params?: object }>(
  "/components/schemas/Command",
);
const METHODS: Record<CommandMethod, true> = {
  subscribe: true,
  unsubscribe: true,
  "chat.send": true,
  "chat.delete": true,
  heartbeat: true,
  ping: true,
};
for (const method of Object.keys(METHODS)) requireValidator(paramsPointer(method));

export type FrameProblem = { path: string; rule: string; message: string };

/** `id` is null when not even that could be read. */
export type CommandReading =
  | { ok: true; command: Command }
  | { ok: false; id: CommandId | null; problems: FrameProblem[] };

/** Reads a client's frame. */
export function readCommand(text: string): CommandReading {
  const value = parseJson(text);
  if (!isEnvelope(value)) return { ok: false, id: null, problems: problemsOf(isEnvelope.errors) };
  const { id, method, params = {} } = value;
  if (!isMethod(method)) {
    return { ok: false, id, problems: [{ path: "/method", rule: "enum", message: "is not a method" }] };
  }
  const isParams = requireValidator(paramsPointer(method));
  if (!isParams(params)) return { ok: false, id, problems: problemsOf(isParams.errors) };
  // The schema of this very method has just accepted these params.
  return { ok: true, command: { id, method, params } as Command };
}

/** Checks a frame of the server against the contract; gives what is wrong with it, nothing when all is well. */
export function problemsInFrame(frame: unknown): FrameProblem[] {
  const isFrame = requireValidator<ServerMessage[]>("/components/messages/server_frame/payload");
  if (!isFrame(frame)) return problemsOf(isFrame.errors);
  return frame.flatMap((message, index) => {
    const validator = validatorAt(`/components/messages/${message.type}/payload`);
    if (!validator) return [{ path: `/${index}/type`, rule: "enum", message: `unknown ${message.type}` }];
    if (validator(message)) return [];
    return problemsOf(validator.errors).map((problem) => ({ ...problem, path: `/${index}${problem.path}` }));
  });
}

/** True for an array of messages: all that a client needs to go on. */
export const isServerFrame = requireValidator<ServerMessage[]>("/components/messages/server_frame/payload");

function paramsPointer(method: string): string {
  return `/components/schemas/Params/properties/${method}`;
}

function isMethod(method: string): method is CommandMethod {
  return Object.hasOwn(METHODS, method);
}

function problemsOf(errors: ErrorObject[] | null | undefined): FrameProblem[] {
  return (errors ?? []).map(({ instancePath, keyword, message }) => ({
    path: instancePath,
    rule: keyword,
    message: message ?? "is not valid",
  }));
}

/** Undefined for what isn't JSON; no schema takes that. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (err) {
    if (err instanceof SyntaxError) return undefined;
    throw err;
  }
}

function requireObject(value: unknown): object {
  if (typeof value !== "object" || value === null) throw new Error("asyncapi.yaml is not an object");
  return value;
}
