import { expect } from "chai";
import { createClient } from "../../../clients/typescript/src/index.ts";
import { recordExchange } from "../../../contract/coverage/recorder.ts";
import type { DocumentedOperation } from "../../../contract/openapi-document.ts";

type Sent = {
  token: string | undefined;
  path: Record<string, string>;
  query: Record<string, string>;
  headers: Record<string, string>;
  body?: unknown;
};

type AnyInput = Omit<Sent, "token">;

/** Untyped, since the operation is known only at run time; specs/clients/inputs.spec.ts checks the types of examples. */
type AnyClient = {
  attempt(operationId: string, input: AnyInput): Promise<{ ok: boolean; status: number; data?: unknown }>;
  address(operationId: string, input: AnyInput): string;
};
const untyped = (client: unknown) => client as AnyClient;

/**
 * Sends requests with the generated client, and checks that it returns the actual response. Operations that redirect the browser
 * are requested at the address that the client gives.
 */
export function createClientCaller(baseUrl: string) {
  return async function call(
    { operation }: DocumentedOperation,
    { token, ...input }: Sent,
  ): Promise<{ status: number; body: unknown }> {
    const does = operation.operationId;
    const came: { status: number; headers: Headers; text: string; sent: Headers }[] = [];
    const watched: typeof fetch = async (url, init) => {
      const response = await fetch(url, { redirect: "manual", ...init });
      const { status, headers } = response;
      came.push({ status, headers, text: await response.clone().text(), sent: new Headers(init?.headers) });
      return response;
    };
    const client = untyped(
      createClient({
        baseUrl,
        fetch: watched,
        retry: { tries: 1 },
        auth: token === undefined ? { mode: "bearer" } : { mode: "token", token },
      }),
    );
    const isCall = Object.keys(operation.responses).some((status) => Number(status) < 300);
    const result = isCall ? await client.attempt(does, input) : null;
    if (!isCall) await followed(client.address(does, input), operation, input, watched);

    const [answer, ...more] = came;
    if (!answer || more.length > 0) throw new Error(`${does} took ${came.length} requests`);
    const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
    const body: unknown = isJson ? JSON.parse(answer.text) : answer.text || undefined;
    if (result?.ok) expect([result.status, result.data], does).deep.equal([answer.status, body]);
    recordExchange(baseUrl, {
      operationId: does,
      query: new URLSearchParams(input.query),
      requestHeaders: Object.fromEntries(answer.sent),
      requestBody: input.body,
      status: answer.status,
      body,
      answerHeaders: answer.headers,
    });
    return { status: answer.status, body };
  };
}

/** Requests it as a browser does, with a form where one is posted. */
async function followed(
  url: string,
  { requestBody }: DocumentedOperation["operation"],
  { body, headers }: AnyInput,
  send: typeof fetch,
): Promise<void> {
  const form = requestBody ? { method: "POST", body: new URLSearchParams(Object(body)) } : {};
  await send(url, { headers, ...form });
}
