import { recordExchange } from "../../contract/coverage/recorder.ts";
import type { operations } from "../../contract/generated/openapi.ts";
import { operationsOf, readOpenApi } from "../../contract/openapi-document.ts";

export type OperationId = keyof operations;

type Json<R> = R extends { content: { "application/json": infer B } } ? B : never;
type Responses<Op extends OperationId> = operations[Op]["responses"];
type Done<Op extends OperationId> = Extract<keyof Responses<Op>, 200 | 201>;
/** The body of an operation's 2xx answer, `undefined` where it has none. Of several, that of 200 or 201 rather than 202. */
export type Success<Op extends OperationId> = {
  [S in keyof Responses<Op>]: S extends ([Done<Op>] extends [never] ? 202 : Done<Op>)
    ? Json<Responses<Op>[S]>
    : never;
}[keyof Responses<Op>];

export type CallOptions = {
  /** Default: 15 s. */
  withinMs?: number;
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean>;
  /** Sent as JSON, except text and bytes, which are serialized as they are. */
  body?: unknown;
  headers?: Record<string, string>;
};

/** `code` is the error envelope's when the answer isn't 2xx. */
export type Answer = {
  status: number;
  code: string | null;
  details: Record<string, unknown>;
  body: unknown;
  headers: Headers;
};

const routes = new Map(operationsOf(readOpenApi()).map((entry) => [entry.operation.operationId, entry]));

/** A client of the REST API by operation id. The service itself validates its responses against the contract. */
export function createApi(baseUrl: string, credentials: Record<string, string> = {}) {
  async function call(operation: OperationId, options: CallOptions = {}): Promise<Answer> {
    const route = routes.get(operation);
    if (!route) throw new Error(`The contract has no operation ${operation}`);
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
      const value = options.params?.[name];
      if (value === undefined) throw new Error(`${operation} needs the path parameter ${name}`);
      return encodeURIComponent(value);
    });
    const query = new URLSearchParams(
      Object.entries(options.query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const hasBody = options.body !== undefined;
    const headers = {
      ...credentials,
      ...(hasBody ? { "content-type": "application/json" } : {}),
      ...options.headers,
    };
    const response = await fetch(`${baseUrl}${path}${query.size > 0 ? `?${query}` : ""}`, {
      method: route.method.toUpperCase(),
      redirect: "manual",
      signal: AbortSignal.timeout(options.withinMs ?? 15_000),
      headers,
      ...(hasBody ? { body: serialized(options.body) } : {}),
    });
    const raw = await response.text();
    const body: unknown = raw === "" ? undefined : parse(raw);
    recordExchange(baseUrl, {
      operationId: operation,
      query,
      requestHeaders: lowerCase(headers),
      requestBody: options.body instanceof Uint8Array ? undefined : options.body,
      status: response.status,
      body,
      answerHeaders: response.headers,
    });
    const envelope = response.ok ? {} : fieldsOf(body);
    return {
      status: response.status,
      code: typeof envelope.code === "string" ? envelope.code : null,
      details: fieldsOf(envelope.details),
      body,
      headers: response.headers,
    };
  }

  /** The body of a 2xx answer. Any other answer fails the spec with its envelope, as does a chat message that is held. */
  function bodyOf<Op extends OperationId>(operation: Op, { status, body }: Answer): Success<Op> {
    const isHeld = operation === "sendChatMessage" && status === 202;
    if (status >= 200 && status < 300 && !isHeld) return body as Success<Op>;
    throw new Error(`${operation} answered ${status} ${JSON.stringify(body)}`);
  }

  return {
    call,
    bodyOf,
    /** Calls it and takes `bodyOf` the answer. */
    ok: async <Op extends OperationId>(operation: Op, options: CallOptions = {}): Promise<Success<Op>> =>
      bodyOf(operation, await call(operation, options)),
    /** The same client with that access token, in bearer mode. */
    as: (who: { token: string }) => createApi(baseUrl, { authorization: `Bearer ${who.token}` }),
    with: (headers: Record<string, string>) => createApi(baseUrl, { ...credentials, ...headers }),
  };
}

export type Api = ReturnType<typeof createApi>;

const serialized = (body: unknown): string | Uint8Array<ArrayBuffer> =>
  typeof body === "string" ? body : body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}

function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
