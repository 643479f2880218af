import { OPERATIONS } from "../generated/operations.ts";
import { type Answer, answerIn, errorOf, isSuccess } from "./answer.ts";
import { UnexpectedAnswerError } from "./errors.ts";
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

const TIMEOUT_MS = 30_000;
/** Together they take less than the half minute in which the service takes a token again whose answer was lost. */
const REFRESH_TIMEOUT_MS = 8_000;
const REFRESH_TRIES = 3;
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
    this.#session = new Session(options.auth ?? { mode: "bearer" }, (body, identity) =>
      this.#refresh(body, identity),
    );
  }

  /** In bearer mode, while signed in. */
  get tokens() {
    return this.#session.tokens;
  }

  /**
   * Lasts for as long as the same user is signed in, through any number of refreshes: aborted, with a SessionChangedError,
   * by registering, logging in, logging out and the end of the session.
   */
  get identity(): AbortSignal {
    return this.#session.identity;
  }

  /** The body of a 2xx answer; throws the LivecoreError of any other. */
  async call<Op extends OperationId>(operationId: Op, ...[input]: InputArgs<Op>): Promise<Success<Op>> {
    const result = await this.#result(operationId, input);
    if (result.ok) return result.data;
    throw result.error;
  }

  /** Every answer of the service, told apart by `ok`; throws only where there was none, or not for this user. */
  attempt<Op extends OperationId>(operationId: Op, ...[input]: InputArgs<Op>): Promise<Result<Op>> {
    return this.#result(operationId, input);
  }

  /** Where an operation is, for a page that goes there itself: those that send the browser on are no calls. */
  address<Op extends OperationId>(operationId: Op, ...[input]: InputArgs<Op>): string {
    return requestOf(this.#options.baseUrl, operationId, asAny(input)).url;
  }

  /** All items of an operation that answers in pages, page by page. */
  async *each<Op extends OperationId>(
    operationId: Op,
    ...[input]: InputArgs<Op>
  ): AsyncGenerator<ItemOf<Op>> {
    const { identity } = this;
    for (let page = 1; ; page++) {
      const { query, ...rest } = asAny(input);
      const paged = { ...rest, query: { per_page: PAGE_SIZE, ...query, page } };
      const body = await this.#ask(operationId, paged, identity);
      const { items, has_more: hasMore } = pageIn(body.body);
      // What the document says of this operation's pages.
      yield* items as ItemOf<Op>[];
      if (!hasMore) return;
    }
  }

  /** For the sockets: a ticket when signed in, null for a viewer. */
  async ticket(): Promise<string | null> {
    const { mode = "bearer" } = this.#options.auth ?? {};
    if (mode === "bearer" && !this.#session.tokens) return null;
    const result = await this.attempt("createWsTicket");
    if (result.ok) return result.data.ticket;
    // Nobody is signed in (any more): a viewer may watch all the same. A program wants to know.
    if (result.status === UNAUTHORIZED && mode !== "token") return null;
    throw result.error;
  }

  async #result<Op extends OperationId>(operationId: Op, input: Input<Op> | undefined): Promise<Result<Op>> {
    const answer = await this.#send(operationId, asAny(input));
    const { status, body } = answer;
    // The document's for this status, to which the service's own specs hold it.
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
    const isTied = ["session", "staff", "optional"].includes(operation.who);
    const answer = await this.#patiently(operationId, input, isTied ? this.identity : null);
    if (!isSuccess(answer)) return answer;
    if (change) this.#session.apply(change, operationId, answer);
    else this.#session.seen(operation);
    return answer;
  }

  /** Sends a call as often as it is worth it; one that is tied to an identity only while that is this client's. */
  async #patiently(operationId: OperationId, input: AnyInput, identity: AbortSignal | null): Promise<Answer> {
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
      // Whoever is signed in now didn't ask for it.
      identity?.throwIfAborted();
      const wait = waitBefore(answer, { tried, isRepeatable, patience: this.#patience });
      if (wait === null || input.patient === false) return answer;
      await pause(wait, waiting);
    }
  }

  /**
   * As one of the calls under that identity, and looked at by the session alone. Where the answer is lost the same token is
   * sent again, which the service takes for half a minute: after that a used one ends the session.
   */
  async #refresh(body: object, identity: AbortSignal): Promise<Answer> {
    for (let tried = 1; ; tried++) {
      try {
        return await this.#patiently("refresh", { body }, identity);
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
      const inTime = AbortSignal.timeout(timeoutMs);
      const response = await fetch(url, {
        method,
        headers: { ...this.#session.headersFor(operationId, OPERATIONS[operationId]), ...headers },
        ...(body === undefined ? {} : { body }),
        credentials: this.#session.credentials,
        redirect: "manual",
        signal: signal ? AbortSignal.any([signal, inTime]) : inTime,
      });
      return answerIn(response, OPERATIONS[operationId]);
    });
  }
}

function timeoutOf(operationId: OperationId, { timeoutMs = TIMEOUT_MS }: RestOptions): number {
  return operationId === "refresh" ? Math.min(timeoutMs, REFRESH_TIMEOUT_MS) : timeoutMs;
}

/** The types of an input have done their work once it is made. */
const asAny = (input: object | undefined): AnyInput => ({ ...input });

function pageIn(body: unknown): { items: unknown[]; has_more: boolean } {
  if (typeof body !== "object" || body === null) throw new TypeError("The answer is no page.");
  if (!("items" in body) || !Array.isArray(body.items)) throw new TypeError("The answer is no page.");
  return { items: body.items, has_more: "has_more" in body && body.has_more === true };
}
