import type { DocumentedOperation } from "../../../contract/openapi-document.ts";
import type { CallOptions, OperationId } from "../../support/api.ts";
import type { IdentityProvider } from "../../support/identity-provider.ts";
import type { World } from "../../support/world.ts";
import { REQUESTS } from "../generated/requests.ts";
import { FOR_EACH, merged } from "./all-requests.ts";
import type { CallerName } from "./expectations.ts";
import type { People } from "./people.ts";
import { openToolbox } from "./toolbox.ts";

/** Where what the document doesn't say is written. */
export const FILES = "specs/api/<context>/requests.ts or <resource>-requests.ts";

/**
 * The request by which an operation succeeds for allowed callers: as its resource defines it, or made from the document with values of its
 * path parameters and the example of its body. Throws when the document isn't enough. The callers of an operation share a request, unless
 * it depends on who calls, until it has succeeded.
 */
export function requestsIn(world: World, people: People, provider: IdentityProvider) {
  const tools = openToolbox(world, people, provider);
  const own = REQUESTS.map(({ requests }) => requests?.(tools) ?? {});
  const values = merged(own.map((one) => one.values ?? {}));
  const prepared = merged(own.map((one) => one.prepared ?? {}));
  const ofCaller = merged(own.map((one) => one.ofCaller ?? {}));
  let unused: { by: string; request: CallOptions } | null = null;

  async function newRequest({ path, operation }: DocumentedOperation): Promise<CallOptions> {
    const { operationId } = operation;
    const prepare = prepared[operationId];
    if (prepare) return prepare();
    const params: Record<string, string> = {};
    for (const [, name = ""] of path.matchAll(/\{(\w+)\}/g)) {
      const value = values[name];
      if (!value) throw new Error(`${operationId} needs a value of {${name}}, or a request: ${FILES}`);
      params[name] = await value();
    }
    const { required = false, content = {} } = operation.requestBody ?? {};
    if (!required) return { params };
    const [{ example } = {}] = Object.values(content);
    if (example === undefined) throw new Error(`${operationId} needs a request: ${FILES}`);
    return { params, body: example };
  }

  return {
    async of(called: DocumentedOperation, caller: CallerName): Promise<CallOptions> {
      const by = called.operation.operationId;
      const prepare = ofCaller[by];
      if (prepare) return prepare(caller);
      if (unused?.by !== by) unused = { by, request: await newRequest(called) };
      return unused.request;
    },
    /** Its request may have used up what it names: the next caller gets another one. */
    succeeded({ method, operation }: DocumentedOperation): void {
      if (method !== "get" && !FOR_EACH.has(operation.operationId as OperationId)) unused = null;
    },
  };
}
