import { OPERATIONS } from "../generated/operations.ts";
import { type Answer, answerIn, errorOf, isSuccess } from "./answer.ts";
import { UnexpectedAnswerError } from "./errors.ts";
import { type AnyInput, type Request, requestOf } from "./request.ts";
import { DEFAULT_RETRY_POLICY, delay, type RetryPolicy, retryDelay } from "./retry-policy.ts";
import { type Auth, Session } from "./session.ts";
import type { Input, InputArgs, ItemOf, OperationId, Result, Success } from "./types.ts";

export type RestOptions = {
  /** http:// or https:// URL of the service, without a path. */
  baseUrl: string;
  auth?: Auth;
  retry?: Partial<RetryPolicy>;
  /** Timeout of one try, ms. */
  timeoutMs?: number;
  fetch?: typeof globalThis.fetch;
};

const TIMEOUT_MS = 30_000;
/**
 * Tries without an answer take less than the half minute during which the service still accepts a used refresh token, for clients
 * that lost the answer.
 */
const REFRESH_TIMEOUT_MS = 8_000;
const REFRESH_TRIES = 3;
const UNAUTHORIZED = 401;
const PAGE_SIZE = 100;

/**
 * A REST client by operation id, with the document's types. It refreshes its session (single flight), sends an idempotency key
 * with each operation that takes one, and retries after 429 and 503 within the limits of `retry`.
 */
export class RestClient {
  readonly #options: RestOptions;
  readonly #session: Session;
  readonly #retry: RetryPolicy;

  constructor(options: RestOptions) {
    this.#options = { ...options, baseUrl: options.baseUrl.replace(/(?<!\/)\/+$/, "") };
    this.#retry = { ...DEFAULT_RETRY_POLICY, ...options.retry };
    this.#session = new Session(options.auth ?? { mode: "bearer" }, (body, identity) =>
      this.#refresh(body, identity),
    );
  }

  /** The tokens in bearer mode, while signed in. */
  get tokens() {
    return this.#session.tokens;
  }

  /**
   * A signal that lasts for as long as the same user is signed in, through any number of refreshes. Registering, logging in,
   * logging out and the end of the session abort it with a SessionChangedError.
   */
  get identity(): AbortSignal {
    return this.#session.identity;
  }

  /** Returns the body of a 2xx answer; throws any other answer as a LivecoreError. */
  async call<Op extends OperationId>(operationId: Op, ...[input]: InputArgs<Op>): Promise<Success<Op>> {
    const result = await this.#result(operationId, input);
    if (result.ok) return result.data;
    throw result.error;
  }

  /**
   * Returns every answer of the service, distinguished by `ok`. Throws only when there was none, or when the user has
   * changed.
   */
  attempt<Op extends OperationId>(operationId: Op, ...[input]: InputArgs<Op>): Promise<Result<Op>> {
    return this.#result(operationId, input);
  }

  /** The URL of an operation, for a page that navigates to it: operations that redirect the browser aren't called by fetch. */
  address<Op extends OperationId>(operationId: Op, ...[input]: InputArgs<Op>): string {
    return requestOf(this.#options.baseUrl, operationId, asAny(input)).url;
  }

  /**
   * Iterates over all items of a paginated operation, page by page; from `before` of the query on, if it is given. Where the list
   * has a cursor it is followed, so that no item is repeated or missed when others come or go.
   */
  async *each<Op extends OperationId>(
    operationId: Op,
    ...[input]: InputArgs<Op>
  ): AsyncGenerator<ItemOf<Op>> {
    const { identity } = this;
    const { query, ...rest } = asAny(input);
    let place: NonNullable<AnyInput["query"]> =
      query?.before === undefined ? { page: 1 } : { before: query.before };
    for (let page = 2; ; page++) {
      const paged = { ...rest, query: { per_page: PAGE_SIZE, ...query, ...place } };
      const body = await this.#ask(operationId, paged, identity);
      const { items, has_more: hasMore, before } = pageIn(body.body);
      // The document's item type for this operation.
      yield* items as ItemOf<Op>[];
      if (!hasMore) return;
      place = before === null ? { page } : { before };
    }
  }

  /** For sockets: a ticket when signed in, null for an anonymous viewer. */
  async ticket(): Promise<string | null> {
    const { mode = "bearer" } = this.#options.auth ?? {};
    if (mode === "bearer" && !this.#session.tokens) return null;
    const result = await this.attempt("createWsTicket");
    if (result.ok) return result.data.ticket;
    // Nobody is signed in (any more), but an anonymous viewer may still watch. With an API token it is an error.
    if (result.status === UNAUTHORIZED && mode !== "token") return null;
    throw result.error;
  }

  async #result<Op extends OperationId>(operationId: Op, input: Input<Op> | undefined): Promise<Result<Op>> {
    const answer = await this.#send(operationId, asAny(input));
    const { status, body } = answer;
    // The document's type for this status; the service's own specs verify that it conforms.
    if (isSuccess(answer)) return { ok: true, status, data: body as Success<Op> };
    return { ok: false, status, error: errorOf(answer) as (Result<Op> & { ok: false })["error"] };
  }

  async #ask(operationId: OperationId, input: AnyInput, identity: AbortSignal): Promise<Answer> {
    identity.throwIfAborted();
    const answer = await this.#send(operationId, input);
    if (!isSuccess(answer)) throw errorOf(answer);
    return answer;
  }

  async #send(operationId: OperationId, input: AnyInput): Promise<Answer> {
    const operation = OPERATIONS[operationId];
    const change = this.#session.changeBy(operationId, input.body);
    const isBound = ["session", "staff", "optional"].includes(operation.who);
    const answer = await this.#withRetries(operationId, input, isBound ? this.identity : null);
    if (!isSuccess(answer)) return answer;
    if (change) this.#session.apply(change, operationId, answer);
    else this.#session.seen(operationId, operation, answer);
    return answer;
  }

  /** Sends a call with retries. A call that is bound to an identity is sent only while that is the client's. */
  async #withRetries(
    operationId: OperationId,
    input: AnyInput,
    identity: AbortSignal | null,
  ): Promise<Answer> {
    const request = requestOf(this.#options.baseUrl, operationId, input);
    const { isRepeatable } = request;
    const mayRenew = operationId !== "refresh";
    const waiting =
      identity && input.signal ? AbortSignal.any([identity, input.signal]) : (identity ?? input.signal);
    for (let tried = 1, isRenewed = false; ; tried++) {
      const { generation } = this.#session;
      const answer = await this.#once(operationId, request, { signal: input.signal, identity });
      if (answer.status === UNAUTHORIZED && identity && mayRenew && !isRenewed) {
        isRenewed = true;
        if (await this.#session.renewed(identity, generation)) continue;
        return answer;
      }
      // The user who is signed in now didn't make this call.
      identity?.throwIfAborted();
      const wait = retryDelay(answer, { tried, isRepeatable, retry: this.#retry });
      if (wait === null || input.retry === false) return answer;
      await delay(wait, waiting);
    }
  }

  /**
   * Sends the refresh under that identity; only the session uses its answer. When the answer is lost, the same token is sent
   * again, which the service accepts for half a minute; after that, a used token ends the session.
   */
  async #refresh(body: object, identity: AbortSignal): Promise<Answer> {
    for (let tried = 1; ; tried++) {
      try {
        return await this.#withRetries("refresh", { body }, identity);
      } catch (err) {
        identity.throwIfAborted();
        if (err instanceof UnexpectedAnswerError || tried === REFRESH_TRIES) throw err;
      }
    }
  }

  #once(
    operationId: OperationId,
    { url, method, body, headers }: Request,
    { signal, identity }: { signal: AbortSignal | undefined; identity: AbortSignal | null },
  ): Promise<Answer> {
    const { fetch = globalThis.fetch } = this.#options;
    const timeoutMs = timeoutOf(operationId, this.#options);
    return this.#session.inTurn(operationId, async () => {
      identity?.throwIfAborted();
      // Not AbortSignal.timeout: together with another signal, Node 20 loses it to the garbage collector.
      const late = new AbortController();
      const timer = setTimeout(
        () => late.abort(new DOMException("The service didn't answer in time.", "TimeoutError")),
        timeoutMs,
      );
      try {
        const response = await fetch(url, {
          method,
          headers: { ...this.#session.headersFor(operationId, OPERATIONS[operationId]), ...headers },
          ...(body === undefined ? {} : { body }),
          credentials: this.#session.credentials,
          redirect: "manual",
          signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
        });
        return await answerIn(response, OPERATIONS[operationId]);
      } finally {
        clearTimeout(timer);
      }
    });
  }
}

function timeoutOf(operationId: OperationId, { timeoutMs = TIMEOUT_MS }: RestOptions): number {
  return operationId === "refresh" ? Math.min(timeoutMs, REFRESH_TIMEOUT_MS) : timeoutMs;
}

const asAny = (input: object | undefined): AnyInput => ({ ...input });

function pageIn(body: unknown): { items: unknown[]; has_more: boolean; before: string | null } {
  if (typeof body !== "object" || body === null) throw new TypeError("The answer is no page.");
  if (!("items" in body) || !Array.isArray(body.items)) throw new TypeError("The answer is no page.");
  const before =
    "before_cursor" in body && typeof body.before_cursor === "string" ? body.before_cursor : null;
  return { items: body.items, has_more: "has_more" in body && body.has_more === true, before };
}
