import { readAsyncApi } from "../asyncapi-document.ts";
import { isObject, type JsonObject } from "../json.ts";
import {
  type DocumentedOperation,
  type Operation,
  operationsOf,
  readOpenApi,
  responsesOf,
} from "../openapi-document.ts";
import { endpointOf, resourceOf } from "./inventory/names.ts";
import { walk } from "./walk.ts";

/** One exchange with the public port; header names in lower case. */
export type Exchange = {
  operationId: string;
  query: URLSearchParams;
  requestHeaders: Record<string, string>;
  /** Undefined where there was none, or where it wasn't JSON. */
  requestBody: unknown;
  status: number;
  body: unknown;
  answerHeaders: Headers;
};

type Observe = (observation: string) => void;

/** Read lazily, since most processes that import this never need it. */
let read: ReturnType<typeof readDocuments> | null = null;

function documents() {
  read ??= readDocuments();
  return read;
}

function readDocuments() {
  const openApi = readOpenApi();
  const operations = new Map(operationsOf(openApi).map((entry) => [entry.operation.operationId, entry]));
  const { components } = readAsyncApi();
  return {
    openApi,
    operations,
    rest: { components: { ...openApi.components } } satisfies JsonObject,
    frames: { components: { ...components } } satisfies JsonObject,
    messages: components.messages,
  };
}

/** Reports what a request and its answer showed. */
export function observeExchange(exchange: Exchange, observe: Observe): void {
  const found = documents().operations.get(exchange.operationId);
  if (!found) return;
  observeLimits(found, exchange, observe);
  const { status, body, answerHeaders } = exchange;
  if (status < 300) observeSuccess(found, exchange, observe);
  else observeRefusal(status, body, answerHeaders.get("retry-after"), observe);
}

/** Reports what a refused request or upgrade showed. */
export function observeRefusal(
  status: number,
  body: unknown,
  retryAfter: string | null,
  observe: Observe,
): void {
  walk(documents().rest, { $ref: "#/components/schemas/Error" }, body, observe);
  if (isObject(body)) observe(`error ${status} ${String(body.code)}`);
  if (status === 429 && Number(retryAfter) >= 1) observe("header Retry-After");
}

/** Reports what a server message on a socket showed. */
export function observeMessage(message: unknown, observe: Observe): void {
  if (!isObject(message) || typeof message.type !== "string") return;
  const { frames, messages } = documents();
  const known = messages[message.type];
  if (!isObject(known)) return;
  observe(`frame ${message.type}`);
  walk(frames, known.payload, message, observe);
  // On a socket only a ticket authenticates.
  if (message.type === "hello" && isObject(message.data) && message.data.user_id !== null)
    observe("carrier ticket");
}

function observeSuccess(
  { method, path, operation }: DocumentedOperation,
  exchange: Exchange,
  observe: Observe,
): void {
  const { status, body, requestBody, answerHeaders } = exchange;
  observe(`operation ${endpointOf(method, path)}`);
  for (const tag of operation.tags) observe(`tag ${tag}`);
  const { rest } = documents();
  walk(rest, schemaOfAnswer(operation, status), body, observe);
  walk(rest, operation.requestBody?.content["application/json"]?.schema, requestBody, observe);
  for (const line of answerHeaders.getSetCookie()) {
    const [, name, value] = /^(\w+)=([^;]*)/.exec(line) ?? [];
    if (value) observe(`header ${name}`);
  }
  observeCredentials(method, operation, exchange, observe);
}

/** For operations that require credentials: reports which kind was accepted. */
function observeCredentials(
  method: string,
  operation: Operation,
  exchange: Exchange,
  observe: Observe,
): void {
  const { requestHeaders: sent, requestBody, body } = exchange;
  const { who } = operation["x-access"];
  const isSignedIn = isObject(body) && typeof body.access_token === "string";
  if (sent["x-auth-mode"] === "bearer" && isSignedIn) observe("header X-Auth-Mode");
  if (isObject(requestBody) && typeof requestBody.two_factor_token === "string")
    observe("carrier two_factor_token");
  if (who === "system" && sent["x-system-key"]) observe("carrier system_key");
  const carrier = who === "session" || who === "staff" ? carrierIn(sent) : null;
  if (carrier !== null) observe(`carrier ${carrier}`);
  if (carrier === "cookie" && method !== "get" && sent["x-service-client"])
    observe("header X-Service-Client");
}

function carrierIn(sent: Record<string, string>): string | null {
  const [, bearer] = /^Bearer (.+)$/i.exec(sent.authorization ?? "") ?? [];
  // A JWT has three parts; any other bearer token is a personal one.
  if (bearer) return bearer.split(".").length === 3 ? "bearer" : "api_bearer";
  if (sent["x-api-key"]) return "api_key";
  return /(^|; *)lc_access_token=/.test(sent.cookie ?? "") ? "cookie" : null;
}

/** Reports limits that were accepted, and those that were refused for their own value. */
function observeLimits({ operation }: DocumentedOperation, exchange: Exchange, observe: Observe): void {
  const { query, requestBody, body, status } = exchange;
  const isTaken = status < 300;
  const faulty = new Set(isTaken ? [] : faultyPlaces(body));
  const report = (of: string, name: string, size: number | null) => {
    if (size === null) return;
    if (isTaken) observe(`limit ${of}.${name} accepts ${size}`);
    else if (faulty.has(name)) observe(`limit ${of}.${name} refuses ${size}`);
  };
  for (const [name, value] of query) report("query", name, Number(value));
  const answered = resourceAnswered(operation);
  if (isObject(requestBody) && answered !== null) {
    for (const [name, value] of Object.entries(requestBody)) report(answered, name, sizeOf(value));
  }
  if (!isTaken || !isObject(body) || !("items" in body)) return;
  for (const name of ["page", "per_page"])
    if (!query.has(name)) observe(`limit query.${name} missing ${String(body[name])}`);
}

/** The fields and parameters that a 400 names. */
function faultyPlaces(body: unknown): string[] {
  const details = isObject(body) && body.code === "validation_failed" ? body.details : null;
  const errors = isObject(details) && Array.isArray(details.errors) ? details.errors : [];
  return errors.flatMap((one) => (isObject(one) ? String(one.path).split("/") : []));
}

function sizeOf(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value === "string") return [...value].length;
  return Array.isArray(value) ? value.length : null;
}

/** The resource that an operation creates or changes. */
function resourceAnswered(operation: Operation): string | null {
  const [success] = Object.keys(operation.responses).filter((status) => Number(status) < 300);
  const schema = success === undefined ? undefined : schemaOfAnswer(operation, Number(success));
  const ref = isObject(schema) ? schema.$ref : undefined;
  return typeof ref === "string" ? resourceOf(ref.slice(ref.lastIndexOf("/") + 1)) : null;
}

function schemaOfAnswer(operation: Operation, status: number): unknown {
  const found = responsesOf(documents().openApi, operation).find(([documented]) => documented === status);
  return found?.[1].content?.["application/json"]?.schema;
}
