import { type ErrorCode, isErrorCode } from "../errors.ts";
import { isObject, type JsonObject } from "../json.ts";
import { isScope, type NeededScopes } from "../scopes.ts";
import { type Parts, pascal, refTo } from "./parts.ts";

/** Codes that may refuse any command. */
const COMMON: ErrorCode[] = ["validation_failed", "rate_limited", "internal", "unavailable"];

/** Each command as a message that is one frame, with the schema of that frame and of its reply. */
export function commandParts(source: JsonObject): Parts {
  const schemas: JsonObject = {};
  const messages: JsonObject = {};
  const results: JsonObject[] = [];
  for (const [method, command] of Object.entries(source)) {
    if (!isObject(command) || !isObject(command.params)) throw new Error(`${method} needs params`);
    const { params, result } = command;
    if (!isObject(result) || typeof result.$ref !== "string")
      throw new Error(`${method} needs a result by $ref`);
    if (!results.some(({ $ref }) => $ref === result.$ref)) results.push(result);
    const name = `${pascal(method)}Command`;
    schemas[name] = {
      type: "object",
      required: ["id", "method", ...(Array.isArray(params.required) ? ["params"] : [])],
      additionalProperties: false,
      properties: { id: refTo("CommandId"), method: { type: "string", const: method }, params },
    };
    messages[method] = {
      name: method,
      title: method,
      summary: command.summary,
      description: descriptionOf(command),
      correlationId: { location: "$message.payload#/id" },
      payload: refTo(name),
      examples: [{ name: "usual", payload: { id: 7, method, params: command.example } }],
      "x-result": { ...result },
      "x-errors": errorsOf(method, command),
      "x-scopes": scopesOf(method, command.scopes),
    };
  }
  schemas.CommandResult = { description: "`data` of a reply: the result of its command.", anyOf: results };
  schemas.Command = { oneOf: Object.keys(source).map((method) => refTo(`${pascal(method)}Command`)) };
  return { schemas, messages };
}

/** `topic`: the scopes of the topic in its `channel`. */
function scopesOf(method: string, scopes: unknown): NeededScopes | "topic" {
  if (scopes === "any" || scopes === "topic") return scopes;
  if (Array.isArray(scopes) && scopes.every(isScope)) return scopes;
  throw new Error(`${method} needs scopes: any, topic, or a list of scopes.ts`);
}

function descriptionOf({ description, who, scopes }: JsonObject): string {
  const text = typeof description === "string" ? `${description.trim()} ` : "";
  if (who !== "anybody" && who !== "signed-in") throw new Error(`nobody knows who ${String(who)} is`);
  return `${text}Who: ${who === "anybody" ? "anybody" : "signed-in users"}.${tokensWith(scopes)}`;
}

function errorsOf(method: string, { errors, who, scopes }: JsonObject): ErrorCode[] {
  if (!Array.isArray(errors)) throw new Error(`${method} needs errors`);
  const own = errors.map((code) => {
    if (typeof code === "string" && isErrorCode(code)) return code;
    throw new Error(`${method}: the registry doesn't know the error ${String(code)}`);
  });
  return [
    ...new Set([
      ...own,
      ...(who === "signed-in" ? (["auth_required"] as const) : []),
      ...(scopes === "any" ? [] : (["insufficient_scope"] as const)),
      ...COMMON,
    ]),
  ].sort();
}

function tokensWith(scopes: unknown): string {
  if (scopes === "any") return "";
  if (scopes === "topic") return " Personal tokens need what the topic needs.";
  const named = Array.isArray(scopes) ? scopes.map((scope) => `\`${String(scope)}\``) : [];
  return named.length === 0 ? " Personal tokens are refused." : ` Personal tokens need ${named.join(", ")}.`;
}
