import { envelopeIn, LivecoreError } from "../errors.ts";
import { OPERATIONS } from "../generated/operations.ts";
import { type Patience, pause, usualPatience, waitBefore } from "./patience.ts";
import { type AnyInput, type Request, requestOf } from "./request.ts";
import { type Auth, Session } from "./session.ts";
import type { Input, InputArgs, ItemOf, OperationId, Result, Success } from "./types.ts";

export type RestOptions = {
  /** http:// or https:// address of the service, without a path. */
  baseUrl: string;
  auth?: Auth;
  patience?: Partial<Patience>;
  /** Of one try, ms. */
  timeoutMs?: number;
  fetch?: typeof globalThis.fetch;
};

type Answer = { status: number; headers: Headers; body: unknown };

const TIMEOUT_MS = 30_000;
const UNAUTHORIZED = 401;
const PAGE_SIZE = 100;

/**
 * REST by operation id, with the document's types. It stays signed in (one refresh at a time), gives each request that
 * takes one its idempotency key, and waits out 429 and 503 for as long and as often as it was told to.
 */
export class RestClient {
  readonly #options: RestOptions;
  readonly #session: Session;
  readonly #patience: Patience;

  constructor(options: RestOptions) {
    this.#options = { ...options, baseUrl: options.baseUrl.replace(/\/+$/, "") };
    this.#patience = { ...usualPatience, ...options.patience };
    this.#session = new Session(options.auth ?? { mode: "bearer" }, (body) => this.#refresh(body));
  }

  /** In bearer mode, while signed in. */
  get tokens() {
    return this.#session.tokens;
  }

  /** The body of a 2xx answer; throws the LivecoreError of any other. */
  async call<Op extends OperationId>(operationId: Op, ...[input]: InputArgs<Op>): Promise<Success<Op>> {
    const result = await this.#result(operationId, input);
    if (result.ok) return result.data;
    throw result.error;
  }

  /** Every answer of the service, told apart by `ok`; throws only where there was none. */
  attempt<Op extends OperationId>(operationId: Op, ...[input]: InputArgs<Op>): Promise<Result<Op>> {
    return this.#result(operationId, input);
  }

  /** All items of an operation that answers in pages, page by page. */
  async *each<Op extends OperationId>(
    operationId: Op,
    ...[input]: InputArgs<Op>
  ): AsyncGenerator<ItemOf<Op>> {
    for (let page = 1; ; page++) {
      const { query, ...rest } = asAny(input);
      const paged = { ...rest, query: { per_page: PAGE_SIZE, ...query, page } };
      const body = await this.#ask(operationId, paged);
      const { items, has_more: hasMore } = pageIn(body.body);
      // What the document says of this operation's pages.
      yield* items as ItemOf<Op>[];
      if (!hasMore) return;
    }
  }

  /** For the sockets: a ticket when signed in, null for a viewer. */
  async ticket(): Promise<string | null> {
    if (this.#options.auth?.mode !== "cookie" && !this.#session.tokens) return null;
    const result = await this.attempt("createWsTicket");
    if (result.ok) return result.data.ticket;
    // Nobody is signed in (any more): a viewer may watch all the same.
    if (result.status === UNAUTHORIZED) return null;
    throw result.error;
  }

  async #result<Op extends OperationId>(operationId: Op, input: Input<Op> | undefined): Promise<Result<Op>> {
    const { status, body } = await this.#send(operationId, asAny(input));
    // The document's for this status, to which the service's own specs hold it.
    if (status < 400) return { ok: true, status, data: body as Success<Op> };
    return { ok: false, status, error: errorOf(status, body) as (Result<Op> & { ok: false })["error"] };
  }

  async #ask(operationId: OperationId, input: AnyInput): Promise<Answer> {
    const answer = await this.#send(operationId, input);
    if (answer.status >= 400) throw errorOf(answer.status, answer.body);
    return answer;
  }

  async #send(operationId: OperationId, input: AnyInput): Promise<Answer> {
    const request = requestOf(this.#options.baseUrl, operationId, input);
    const { who } = OPERATIONS[operationId];
    const mayRenew = who === "session" || who === "optional";
    for (let tried = 1, isRenewed = false; ; tried++) {
      const { generation } = this.#session;
      const answer = await this.#once(operationId, request, input.signal);
      if (answer.status === UNAUTHORIZED && mayRenew && !isRenewed) {
        isRenewed = true;
        if (await this.#session.renewed(generation)) continue;
        return answer;
      }
      const { isRepeatable } = request;
      const wait = waitBefore(answer, { tried, isRepeatable, patience: this.#patience });
      if (wait === null || input.patient === false) {
        if (answer.status < 400) this.#session.note(operationId, answer.body);
        return answer;
      }
      await pause(wait, input.signal);
    }
  }

  async #once(operationId: OperationId, request: Request, signal: AbortSignal | undefined): Promise<Answer> {
    const { fetch = globalThis.fetch, timeoutMs = TIMEOUT_MS } = this.#options;
    const { url, method, body, headers } = request;
    const inTime = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, {
      method,
      headers: { ...this.#session.headersFor(operationId, OPERATIONS[operationId]), ...headers },
      ...(body === undefined ? {} : { body }),
      credentials: this.#session.credentials,
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, inTime]) : inTime,
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parsed(text) };
  }

  async #refresh(body: { refresh_token?: string }): Promise<boolean> {
    const answer = await this.#send("refresh", { body });
    if (answer.status < 400) return true;
    if (answer.status < 429) return false;
    throw errorOf(answer.status, answer.body);
  }
}

/** The types of an input have done their work once it is made. */
const asAny = (input: object | undefined): AnyInput => ({ ...input });

function parsed(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (err) {
    if (err instanceof SyntaxError) return text;
    throw err;
  }
}

function errorOf(status: number, body: unknown): LivecoreError {
  const code = status === 429 ? "rate_limited" : status < 500 ? "validation_failed" : "unavailable";
  const message = `Something between here and the service answered ${status}.`;
  return new LivecoreError(envelopeIn(body) ?? { code, message }, status);
}

function pageIn(body: unknown): { items: unknown[]; has_more: boolean } {
  if (typeof body !== "object" || body === null) throw new TypeError("The answer is no page.");
  if (!("items" in body) || !Array.isArray(body.items)) throw new TypeError("The answer is no page.");
  return { items: body.items, has_more: "has_more" in body && body.has_more === true };
}
