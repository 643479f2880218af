import { Agent, type RequestOptions, request } from "node:http";
import { text as textOf } from "node:stream/consumers";
import {
  type DocumentedOperation,
  type OpenApiDocument,
  type Operation,
  parametersOf,
} from "../../../contract/openapi-document.ts";
import { type OpenedApp, SYSTEM_KEY } from "./open-app.ts";
import { createSampler } from "./sample.ts";

/** What is sent instead of what would fit. */
export type RawRequest = {
  params?: Record<string, string>;
  /** Parameters of the path that go out as they are. */
  escaped?: Record<string, string>;
  query?: string;
  body?: unknown;
  raw?: string | Buffer;
  headers?: Record<string, string>;
};

/** A client of `app` that sends each operation what fits, or something else, as somebody who may call it. The caller ends it. */
export function createRawClient(app: OpenedApp, document: OpenApiDocument) {
  const sampler = createSampler(document);
  // Not by fetch, which takes a fifth of the time of thousands of small requests.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /** A query with what it lacks of what the operation needs. */
  function queryWith(query: string, operation: Operation): string {
    const lacking = parametersOf(document, operation).filter(
      ({ in: place, name, required }) =>
        place === "query" && required && !new RegExp(`[?&]${name}(=|&|$)`).test(query),
    );
    if (lacking.length === 0) return query;
    const added = lacking
      .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
      .join("&");
    return query === "" ? `?${added}` : `${query}&${added}`;
  }

  return {
    send({ method, path, operation }: DocumentedOperation, instead: RawRequest): Promise<Received> {
      const params = { ...sampler.pathParams(operation), ...instead.params };
      const address = path.replaceAll(
        /\{(\w+)\}/g,
        (_match, name) => instead.escaped?.[name] ?? encodeURIComponent(params[name] ?? ""),
      );
      const body = instead.raw ?? bodyText(operation, instead.body ?? sampler.body(operation));
      return received(
        `${app.baseUrl}${address}${queryWith(instead.query ?? "", operation)}`,
        {
          method: method.toUpperCase(),
          agent,
          headers: {
            ...(operation["x-access"].who === "system"
              ? { "x-system-key": SYSTEM_KEY }
              : {
                  authorization: `Bearer ${app.newToken(scopesOfCaller(operation), kindOfCaller(operation))}`,
                }),
            "content-type": mediaTypeOf(operation) ?? "application/json",
            ...instead.headers,
          },
        },
        mediaTypeOf(operation) === null ? undefined : body,
      );
    },
    end: () => agent.destroy(),
  };
}

/** What takes tokens alone is called with one, as what overlays read is by theirs. */
const kindOfCaller = ({ "x-access": { overlay } }: Operation) =>
  overlay === "only" ? ("overlay" as const) : ("personal" as const);
const scopesOfCaller = ({ "x-access": access, "x-scopes": scopes }: Operation) =>
  access.token_only || access.overlay === "only"
    ? Array.isArray(scopes)
      ? scopes
      : ["chat:read"]
    : undefined;

type Received = { status: number | undefined; text: string };

function received(
  url: string,
  options: RequestOptions,
  body: string | Buffer | undefined,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      textOf(answer).then((text) => resolve({ status: answer.statusCode, text }), reject);
    });
    sent.on("error", reject);
    // Without it a DELETE has no body.
    if (body !== undefined) sent.setHeader("content-length", Buffer.byteLength(body));
    sent.end(body);
  });
}

function bodyText(operation: Operation, body: unknown): string | undefined {
  if (body === undefined) return undefined;
  if (mediaTypeOf(operation) === "application/json") return JSON.stringify(body);
  return new URLSearchParams(
    Object.entries(Object(body)).map(([k, v]): [string, string] => [k, String(v)]),
  ).toString();
}

/** The media type that its bodies have; null without one. */
export function mediaTypeOf(operation: Operation): string | null {
  return Object.keys(operation.requestBody?.content ?? {})[0] ?? null;
}
