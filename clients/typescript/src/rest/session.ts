import { type Answer, isSuccess } from "./answer.ts";
import { SessionChangedError, UnexpectedAnswerError } from "./errors.ts";
import { SerialQueue } from "./serial-queue.ts";
import {
  isSessionEnd,
  needsSecondFactor,
  refreshTokenIn,
  type Tokens,
  tokensIn,
  userIdIn,
} from "./tokens.ts";

export type BearerAuth = {
  mode: "bearer";
  /** Tokens of an earlier session. Without them the client isn't signed in until it registers or logs in. */
  tokens?: Tokens;
  /** Called with every change, so that the tokens can be stored; null when the session has ended. */
  onTokens?: (tokens: Tokens | null) => void;
};

export type CookieAuth = {
  mode: "cookie";
  /** The name of this front end, sent as `X-Service-Client`. */
  serviceClient: string;
};

/** A personal API token: always the same user, within the token's scopes. */
export type TokenAuth = { mode: "token"; token: string };

export type Auth = BearerAuth | CookieAuth | TokenAuth;

type Operation = { method: string; who: string | null };
/** Sends the refresh under an identity and returns any answer of the service. */
type Refresh = (body: { refresh_token?: string }, identity: AbortSignal) => Promise<Answer>;
/** A call that may change the signed-in user: its order among such calls, and the identity that it merely renews, or null. */
type Change = { order: number; renews: AbortSignal | null };

/** Operations whose answer carries tokens: in bearer mode they are in the body. */
const SIGNING_IN: readonly string[] = [
  "register",
  "login",
  "finishLogin",
  "signInWithPasskey",
  "signInWithOauth",
  "refresh",
];
/** Those, and what begins one: the service is told the mode. */
const OF_A_MODE: readonly string[] = [...SIGNING_IN, "startPasskeySignIn"];
const OK = 200;
const CHANGING: readonly string[] = [...SIGNING_IN, "logout"];

/**
 * Who the client is signed in as. Refreshes are single flight, however many calls find their token expired.
 *
 * 1. An identity lasts from one sign-in to the next one, to the logout or to the end of the session; a refresh keeps it.
 * 2. The answer to a call under an identity counts only while that identity is the client's.
 * 3. Of sign-ins and logouts that overtake each other, the one that was called last wins.
 * 4. Cookies belong to all of a browser's tabs: an identity ends as well when a refresh, or `getMe`, names another user than before.
 */
export class Session {
  readonly #auth: Auth;
  readonly #refresh: Refresh;
  readonly #turns = new SerialQueue();
  #tokens: Tokens | null;
  /** In cookie mode this is known only from answers. */
  #isSomebody: boolean;
  /** Null until an answer has named the user. */
  #userId: string | null = null;
  #refreshing: Promise<boolean> | null = null;
  /** Incremented by each refresh and sign-in, so that a call knows whether the token has changed since it was sent. */
  #generation = 0;
  #identity = new AbortController();
  /** The previous identity, if its session has ended by itself. */
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

  /** Aborted with a SessionChangedError as soon as another user, or nobody, is signed in. */
  get identity(): AbortSignal {
    return this.#identity.signal;
  }

  /** Cookies are sent only in cookie mode, where the browser allows it. */
  get credentials(): "include" | "omit" {
    return this.#auth.mode === "cookie" ? "include" : "omit";
  }

  headersFor(operationId: string, { method, who }: Operation): Record<string, string> {
    const isOfAMode = OF_A_MODE.includes(operationId);
    if (this.#auth.mode === "cookie") {
      return {
        ...(method === "GET" && operationId !== "exportMe"
          ? {}
          : { "X-Service-Client": this.#auth.serviceClient }),
        ...(isOfAMode ? { "X-Auth-Mode": "cookie" } : {}),
      };
    }
    const token = this.#auth.mode === "token" ? this.#auth.token : this.#tokens?.accessToken;
    const isKnown = token !== undefined && ["session", "staff", "optional"].includes(who ?? "");
    return {
      ...(isKnown ? { Authorization: `Bearer ${token}` } : {}),
      ...(isOfAMode ? { "X-Auth-Mode": "bearer" } : {}),
    };
  }

  /** How a call that is about to be sent may change the user; null when it can't: with an API token no call does. */
  changeBy(operationId: string, body: unknown): Change | null {
    if (!CHANGING.includes(operationId) || this.#auth.mode === "token") return null;
    const isOwn = this.#auth.mode === "cookie" || refreshTokenIn(body) === this.#tokens?.refreshToken;
    return { order: ++this.#lastAsked, renews: operationId === "refresh" && isOwn ? this.identity : null };
  }

  /** Serializes calls that set cookies, since the browser keeps the cookies of whichever answer comes last. */
  inTurn<T>(operationId: string, send: () => Promise<T>): Promise<T> {
    const setsCookies = this.#auth.mode === "cookie" && CHANGING.includes(operationId);
    return setsCookies ? this.#turns.take(send) : send();
  }

  /** Notes the success of a call that doesn't change the user. */
  seen(operationId: string, { who }: Operation, { body }: Answer): void {
    if (this.#auth.mode !== "cookie") return;
    if (who === "session" || who === "staff") this.#isSomebody = true;
    if (operationId === "getMe") this.#meet(userIdIn({ user: body }), null);
  }

  /**
   * Applies the success of a call that changes the user. Throws a SessionChangedError when a later one has been applied, and an
   * UnexpectedAnswerError when the answer isn't the service's.
   */
  apply({ order, renews }: Change, operationId: string, { status, body }: Answer): void {
    if (order < this.#lastCounted) throw new SessionChangedError();
    if (needsSecondFactor(body)) return;
    const hasTokens = this.#auth.mode === "bearer" && operationId !== "logout";
    const tokens = hasTokens ? tokensIn(body) : null;
    if (hasTokens && tokens === null) throw new UnexpectedAnswerError(status);
    this.#lastCounted = order;
    const userId = operationId === "logout" ? null : userIdIn(body);
    if (renews === this.identity) {
      if (!this.#meet(userId, tokens)) this.#keep(tokens);
    } else this.#become(tokens, operationId !== "logout", userId);
  }

  /**
   * True when the token has changed since `generation`, so that the call should be retried; false when its refusal is final.
   * Throws transient failures, and a SessionChangedError when `identity` isn't this client's any more.
   */
  async renewed(identity: AbortSignal, generation: number): Promise<boolean> {
    // The call's own session has ended: no other user can be confused with it.
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
      // When the user has changed meanwhile, the new tokens are dropped: they would sign the former user in again.
      identity.throwIfAborted();
      if (!isSuccess(answer)) return this.#end(answer);
      const tokens = this.#auth.mode === "bearer" ? tokensIn(answer.body) : null;
      const isRenewed = this.#auth.mode === "bearer" ? tokens !== null : answer.status === OK;
      if (!isRenewed) throw new UnexpectedAnswerError(answer.status);
      if (this.#meet(userIdIn(answer.body), tokens)) identity.throwIfAborted();
      this.#isSomebody = true;
      this.#keep(tokens);
      return true;
    } finally {
      if (!identity.aborted) this.#refreshing = null;
    }
  }

  #end(refusal: Answer): false {
    if (isSessionEnd(refusal) && this.#isSomebody) {
      const ended = this.identity;
      this.#become(null, false, null);
      this.#ended = ended;
    }
    return false;
  }

  /** Whether an answer named another user than those before it, which ends the identity. */
  #meet(userId: string | null, tokens: Tokens | null): boolean {
    const isAnother = userId !== null && this.#userId !== null && userId !== this.#userId;
    if (isAnother) this.#become(tokens, true, userId);
    else this.#userId = userId ?? this.#userId;
    return isAnother;
  }

  #become(tokens: Tokens | null, isSomebody: boolean, userId: string | null): void {
    const before = this.#identity;
    this.#identity = new AbortController();
    this.#ended = null;
    this.#refreshing = null;
    this.#isSomebody = isSomebody;
    this.#userId = userId;
    try {
      this.#keep(tokens);
    } finally {
      // `onTokens` may have thrown; what belongs to the former identity ends all the same.
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
