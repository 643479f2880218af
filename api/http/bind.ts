import type { Caller } from "../../actors/accounts/tokens/caller.ts";
import type { OpenApiDocument } from "../../contract/openapi-document.ts";
import { operationsOf, parametersOf } from "../../contract/openapi-document.ts";
import type { ListCursors } from "./list-cursors.ts";
import type {
  Handler,
  OperationId,
  OperationRequest,
  PageHandler,
  PageOperationId,
  RequestParts,
} from "./operation-types.ts";
import { pageOf, paginated } from "./pagination.ts";
import type { Resources } from "./resources.ts";

export type { OperationId, OperationRequest } from "./operation-types.ts";
export { reply, text } from "./reply.ts";

/** A handler as the dispatcher sees it: it gets requests that were validated against the document. */
type BoundHandler = (request: CheckedRequest) => Promise<unknown>;

/** An operation with all that runs for it once its request is checked. */
export type BoundOperation = {
  /** Loads what the path names, and checks the caller's access to it; null where it names nothing. */
  load: ReturnType<Resources["of"]>;
  handle: BoundHandler;
  /** Records what staff read; null where nothing is recorded. */
  answered: ReturnType<Resources["answered"]>;
};

type CheckedRequest = RequestParts & {
  caller: Caller;
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
};

export type Operations = {
  /**
   * Binds an operation of the document to its handler. When the handler runs, the caller is known and the request has the
   * documented shape; what is left is to authorise, to call and to build the answer.
   */
  bind<Id extends OperationId>(operationId: Id, handler: Handler<Id>): void;
  /** The same for an operation that answers with a page: the handler finds the items of a range. */
  bindPage<Id extends PageOperationId>(operationId: Id, handler: PageHandler<Id>): void;
  /**
   * Adds to each handler what loads the resource in its path, checks the caller's access to it, and records what staff read. Throws when an operation of the document has no route. Called once, when all areas are bound.
   */
  complete(resources: Pick<Resources, "of" | "answered">): void;
};

export function createOperations(document: OpenApiDocument, cursorsOf: (operationId: string) => ListCursors) {
  const known = new Map(operationsOf(document).map(({ operation }) => [operation.operationId, operation]));
  const withCursor = new Set(
    operationsOf(document)
      .filter(({ operation }) => parametersOf(document, operation).some(({ name }) => name === "before"))
      .map(({ operation }) => operation.operationId),
  );
  const bound = new Map<string, BoundOperation>();

  function add(operationId: OperationId, handler: BoundHandler): void {
    if (!known.has(operationId)) throw new Error(`The document has no operation ${operationId}`);
    if (bound.has(operationId)) throw new Error(`${operationId} is bound twice`);
    bound.set(operationId, { load: null, handle: handler, answered: null });
  }

  const operations: Operations = {
    bind: (operationId, handler) =>
      add(operationId, async (request) => handler(checkedAs(operationId, request))),
    bindPage(operationId, handler) {
      const cursors = withCursor.has(operationId) ? cursorsOf(operationId) : null;
      add(operationId, async (request) =>
        paginated(pageOf(request.query, cursors), {
          cursors,
          find: async (range) => handler(checkedAs(operationId, request), range),
        }),
      );
    },
    complete(resources) {
      const missing = [...known.keys()].filter((id) => !bound.has(id));
      if (missing.length > 0) throw new Error(`These operations have no route: ${missing.join(", ")}`);
      for (const { operation, method } of operationsOf(document)) {
        const one = bound.get(operation.operationId);
        if (!one) continue;
        one.load = resources.of(operation, method);
        one.answered = resources.answered(operation, method);
      }
    },
  };
  return { operations, boundTo: (operationId: string) => bound.get(operationId) ?? null };
}

/**
 * The only place where the document is trusted for a type: the validator and the types are generated from the same file, so
 * a request that passed the validator has the type.
 */
function checkedAs<Id extends OperationId>(_operationId: Id, request: CheckedRequest): OperationRequest<Id> {
  return request as unknown as OperationRequest<Id>;
}
