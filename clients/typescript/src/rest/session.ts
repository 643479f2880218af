import { type Answer, isSuccess } from "./answer.ts";
import { SessionChangedError, UnexpectedAnswerError } from "./errors.ts";
import { hasEnded, isPending, refreshTokenIn, type Tokens, tokensIn } from "./tokens.ts";
import { Turns } from "./turns.ts";

export type BearerAuth = {
  mode: "bearer";
  /** From an earlier session; without, the client is nobody until it registers or logs in. */
  tokens?: Tokens;
  /** Told of every change, to be kept; null when the session has ended. */
  onTokens?: (tokens: Tokens | null) => void;
};

export type CookieAuth = {
  mode: "cookie";
  /** Names this front end, for `X-Service-Client`. */
  serviceClient: string;
};

/** By a personal API token: always the same user, within the token's scopes. */
export type TokenAuth = { mode: "token"; token: string };

export type Auth = BearerAuth | CookieAuth | TokenAuth;

type Operation = { method: string; who: string | null };
/** Sends the refresh on behalf of an identity, and gives whatever the service answers. */
type Refresh = (body: { refresh_token?: string }, identity: AbortSignal) => Promise<Answer>;
/** A call that may change who this client is: which of them it is, and the identity that it only renews. */
type Change = { order: number; renews: AbortSignal | null };

/** Operations whose answer has tokens: in bearer mode they come in the body. */
const SIGNING_IN: readonly string[] = ["register", "login", "finishLogin", "refresh"];
const OK = 200;
const CHANGING: readonly string[] = [...SIGNING_IN, "logout"];

/**
 * Who this client is, and how it stays that: one refresh at a time, however many calls find their token too old.
 *
 * 1. It has one identity from a sign-in to the next one, to the log-out or to the end of the session; a refresh keeps it.
 * 2. What was asked for under an identity counts only while that is the client's.
 * 3. Of sign-ins and log-outs that overtake each other, the one that was asked for last counts.
 */
export class Session {
  readonly #auth: Auth;
  readonly #refresh: Refresh;
  readonly #turns = new Turns();
  #tokens: Tokens | null;
  /** In cookie mode known only from answers. */
  #isSomebody: boolean;
  #refreshing: Promise<boolean> | null = null;
  /** Rises with each refresh, so that a call knows whether one has been since it was sent. */
  #generation = 0;
  #identity = new AbortController();
  /** The identity before this one, where its session has ended by itself. */
  #ended: AbortSignal | null = null;
  #lastAsked = 0;
  #lastCounted = 0;

  constructor(auth: Auth, refresh: Refresh) {
    this.#auth = auth;
    this.#refresh = refresh;
    this.#tokens = auth.mode === "bearer" ? (auth.tokens ?? null) : null;
    this.#isSomebody = this.#tokens !== null;
  }

  get tokens(): Tokens | null {
    return this.#tokens;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Aborted with a SessionChangedError as soon as the client is somebody else, or nobody any more. */
  get identity(): AbortSignal {
    return this.#identity.signal;
  }

  /** Cookies go along where the browser may send them. */
  get credentials(): "include" | "omit" {
    return this.#auth.mode === "cookie" ? "include" : "omit";
  }

  headersFor(operationId: string, { method, who }: Operation): Record<string, string> {
    const isSigningIn = SIGNING_IN.includes(operationId);
    if (this.#auth.mode === "cookie") {
      return {
        ...(method === "GET" && operationId !== "exportMe"
          ? {}
          : { "X-Service-Client": this.#auth.serviceClient }),
        ...(isSigningIn ? { "X-Auth-Mode": "cookie" } : {}),
      };
    }
    const token = this.#auth.mode === "token" ? this.#auth.token : this.#tokens?.accessToken;
    const isKnown = token !== undefined && ["session", "staff", "optional"].includes(who ?? "");
    return {
      ...(isKnown ? { Authorization: `Bearer ${token}` } : {}),
      ...(isSigningIn ? { "X-Auth-Mode": "bearer" } : {}),
    };
  }

  /** Of a call that is about to be made; null for those that change nothing: with a token of its own all do. */
  changeBy(operationId: string, body: unknown): Change | null {
    if (!CHANGING.includes(operationId) || this.#auth.mode === "token") return null;
    const isOwn = this.#auth.mode === "cookie" || refreshTokenIn(body) === this.#tokens?.refreshToken;
    return { order: ++this.#lastAsked, renews: operationId === "refresh" && isOwn ? this.identity : null };
  }

  /** Lets calls that set cookies be sent one by one, as the browser keeps those of whichever answer comes last. */
  inTurn<T>(operationId: string, send: () => Promise<T>): Promise<T> {
    const setsCookies = this.#auth.mode === "cookie" && CHANGING.includes(operationId);
    return setsCookies ? this.#turns.take(send) : send();
  }

  /** Looks at the success of a call that isn't about who this client is. */
  seen({ who }: Operation): void {
    if (this.#auth.mode === "cookie" && (who === "session" || who === "staff")) this.#isSomebody = true;
  }

  /** Takes over the success of a change. Throws where a later one has counted, or where it isn't the service's. */
  apply({ order, renews }: Change, operationId: string, { status, body }: Answer): void {
    if (order < this.#lastCounted) throw new SessionChangedError();
    if (isPending(body)) return;
    const hasTokens = this.#auth.mode === "bearer" && operationId !== "logout";
    const tokens = hasTokens ? tokensIn(body) : null;
    if (hasTokens && tokens === null) throw new UnexpectedAnswerError(status);
    this.#lastCounted = order;
    if (renews === this.identity) this.#keep(tokens);
    else this.#become(tokens, operationId !== "logout");
  }

  /**
   * True when there is a new token since `generation`, so that the call is worth another try; false when its refusal
   * stands. Throws what may pass, and a SessionChangedError when `identity` isn't this client's any more.
   */
  async renewed(identity: AbortSignal, generation: number): Promise<boolean> {
    // The session that the call was refused for has ended: there is nothing to mix up.
    if (identity === this.#ended) return false;
    identity.throwIfAborted();
    if (generation !== this.#generation) return true;
    if (this.#auth.mode === "token" || (this.#auth.mode === "bearer" && !this.#tokens)) return false;
    this.#refreshing ??= this.#renew(identity);
    return this.#refreshing;
  }

  async #renew(identity: AbortSignal): Promise<boolean> {
    try {
      const token = this.#tokens?.refreshToken;
      const answer = await this.#refresh(token === undefined ? {} : { refresh_token: token }, identity);
      // Too late, its tokens are dropped: they would bring back who isn't signed in any more.
      identity.throwIfAborted();
      if (!isSuccess(answer)) return this.#end(answer);
      const tokens = this.#auth.mode === "bearer" ? tokensIn(answer.body) : null;
      const isRenewed = this.#auth.mode === "bearer" ? tokens !== null : answer.status === OK;
      if (!isRenewed) throw new UnexpectedAnswerError(answer.status);
      this.#isSomebody = true;
      this.#keep(tokens);
      return true;
    } finally {
      if (!identity.aborted) this.#refreshing = null;
    }
  }

  #end(refusal: Answer): false {
    if (hasEnded(refusal) && this.#isSomebody) {
      const ended = this.identity;
      this.#become(null, false);
      this.#ended = ended;
    }
    return false;
  }

  #become(tokens: Tokens | null, isSomebody: boolean): void {
    const before = this.#identity;
    this.#identity = new AbortController();
    this.#ended = null;
    this.#refreshing = null;
    this.#isSomebody = isSomebody;
    try {
      this.#keep(tokens);
    } finally {
      // Whoever was told of the tokens may have failed at it; what belongs to the one before ends all the same.
      before.abort(new SessionChangedError());
    }
  }

  #keep(tokens: Tokens | null): void {
    this.#generation++;
    if (this.#auth.mode !== "bearer") return;
    this.#tokens = tokens;
    this.#auth.onTokens?.(tokens);
  }
}
