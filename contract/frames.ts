import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { isCommand, readAsyncApi, type SocketMessage } from "./asyncapi-document.ts";
import type { ErrorEnvelope } from "./errors.ts";
import { ruleInWords } from "./refused-rule.ts";
import { hasUnpairedSurrogate } from "./surrogates.ts";
import type { Command, CommandId } from "./wire.ts";

/** The sockets' frames at run time: what a client sends is checked by validators out of the AsyncAPI document. */

export { ADDRESSES, CLOSE_CODES } from "./generated/sockets.ts";

/** The common fields of server messages; the contract says which of the others a type has. */
export type ServerMessage = {
  type: string;
  channel?: string;
  seq?: number;
  id?: CommandId;
  data?: unknown;
  error?: ErrorEnvelope;
};

const DOCUMENT = "asyncapi.json";
const document = readAsyncApi();
// The document was validated against AsyncAPI's own schema when it was generated.
const ajv = new Ajv2020({ strict: false, allErrors: false, verbose: true, validateSchema: false });
formats.default(ajv);
ajv.addSchema({ $id: DOCUMENT, ...document });

function requireValidator<T>(pointer: string): ValidateFunction<T> {
  const validator = ajv.getSchema<T>(`${DOCUMENT}#${pointer}`);
  if (!validator) throw new Error(`asyncapi.json has nothing at ${pointer}`);
  return validator;
}

type Envelope = { id: CommandId; method: string; params?: object };

/** The form of every command, before its method is known. */
const isEnvelope = ajv.compile<Envelope>({
  type: "object",
  required: ["id", "method"],
  additionalProperties: false,
  properties: {
    id: { $ref: `${DOCUMENT}#/components/schemas/CommandId` },
    method: { type: "string", maxLength: 64 },
    params: { type: "object" },
  },
});

/** All compiled at the start. */
const paramsOf = new Map(
  Object.entries(document.components.messages)
    .filter(([, message]) => isCommand(message))
    .map(([method, message]) => [method, requireValidator(`${schemaPointer(message)}/properties/params`)]),
);

/** Types without `seq`, outside of the room's log: only the latest matters, or only some users get them. */
const outsideLog = new Set(
  Object.entries(document.components.messages)
    .filter(([, message]) => message["x-topics"] && !hasSeq(message))
    .map(([type]) => type),
);

export const isOutsideLog = (type: string): boolean => outsideLog.has(type);

const toEverybody = new Set(
  Object.values(document.components.messages)
    .filter(({ "x-for": audience }) => audience === "everybody")
    .map(({ name }) => name),
);

/** Of events beside a room's log: all others, also those of a later release, are for its owner and moderators alone. */
export const isForEverybody = (type: string): boolean => toEverybody.has(type);

export type FrameProblem = { path: string; rule: string; message: string };

/** `id` is null when it couldn't be read either. */
type CommandReading =
  | { ok: true; command: Command }
  | { ok: false; id: CommandId | null; problems: FrameProblem[] };

/** Reads a client's frame. */
export function readCommand(text: string): CommandReading {
  const value = parseJson(text);
  if (!isEnvelope(value)) return { ok: false, id: null, problems: problemsOf(isEnvelope.errors) };
  const { id, method, params = {} } = value;
  const isParams = paramsOf.get(method);
  if (!isParams) {
    return { ok: false, id, problems: [{ path: "/method", rule: "enum", message: "is not a method" }] };
  }
  if (!isParams(params)) return { ok: false, id, problems: problemsOf(isParams.errors, "/params") };
  if (hasUnpairedSurrogate(text)) {
    const problems = [{ path: "", rule: "encoding", message: "must not hold unpaired surrogates" }];
    // The answer must not return one.
    return { ok: false, id: hasUnpairedSurrogate(JSON.stringify(id)) ? null : id, problems };
  }
  // The schema of this very method has just accepted these params.
  return { ok: true, command: { id, method, params } as Command };
}

function schemaPointer({ payload }: SocketMessage): string {
  return payload.$ref.slice("#".length);
}

function hasSeq({ payload }: SocketMessage): boolean {
  const { properties } = document.components.schemas[nameIn(payload.$ref)] ?? {};
  return typeof properties === "object" && properties !== null && "seq" in properties;
}

function nameIn(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}

function problemsOf(errors: ErrorObject[] | null | undefined, place = ""): FrameProblem[] {
  return (errors ?? []).map((error) => ({
    path: `${place}${error.instancePath}`,
    rule: error.keyword,
    message: ruleInWords(error),
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
