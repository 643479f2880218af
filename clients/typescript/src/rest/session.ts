export type Tokens = { accessToken: string; refreshToken: string };

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

export type Auth = BearerAuth | CookieAuth;

type Operation = { method: string; who: string | null };
/** Sends the refresh, whose answer is noted; false when there is no session any more. Throws what may pass. */
type Refresh = (body: { refresh_token?: string }) => Promise<boolean>;

/** Operations whose answer has tokens: in bearer mode they come in the body. */
const SIGNING_IN: readonly string[] = ["register", "login", "refresh"];

/** Who this client is, and how it stays that: one refresh at a time, however many calls find their token too old. */
export class Session {
  readonly #auth: Auth;
  readonly #refresh: Refresh;
  #tokens: Tokens | null;
  #refreshing: Promise<boolean> | null = null;
  /** Rises with each refresh, so that a call knows whether one has been since it was sent. */
  #generation = 0;

  constructor(auth: Auth, refresh: Refresh) {
    this.#auth = auth;
    this.#refresh = refresh;
    this.#tokens = auth.mode === "bearer" ? (auth.tokens ?? null) : null;
  }

  get tokens(): Tokens | null {
    return this.#tokens;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Cookies go along where the browser may send them. */
  get credentials(): "include" | "omit" {
    return this.#auth.mode === "cookie" ? "include" : "omit";
  }

  headersFor(operationId: string, { method, who }: Operation): Record<string, string> {
    const isSigningIn = SIGNING_IN.includes(operationId);
    if (this.#auth.mode === "cookie") {
      return {
        ...(method === "GET" ? {} : { "X-Service-Client": this.#auth.serviceClient }),
        ...(isSigningIn ? { "X-Auth-Mode": "cookie" } : {}),
      };
    }
    const isKnown = this.#tokens && (who === "session" || who === "optional");
    return {
      ...(isKnown ? { Authorization: `Bearer ${this.#tokens?.accessToken}` } : {}),
      ...(isSigningIn ? { "X-Auth-Mode": "bearer" } : {}),
    };
  }

  /** Looks at an answer that may have changed who this client is. */
  note(operationId: string, body: unknown): void {
    if (SIGNING_IN.includes(operationId)) this.#keep(tokensIn(body));
    if (operationId === "logout") this.#keep(null);
  }

  /** True when there is a new token since `generation`, so that the call is worth another try. Throws what may pass. */
  async renewed(generation: number): Promise<boolean> {
    if (generation !== this.#generation) return true;
    if (this.#auth.mode === "bearer" && !this.#tokens) return false;
    this.#refreshing ??= this.#renew().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  async #renew(): Promise<boolean> {
    const { refreshToken: token } = this.#tokens ?? {};
    const generation = this.#generation;
    const isRenewed = await this.#refresh(token === undefined ? {} : { refresh_token: token });
    // Unless somebody has signed in meanwhile, there is no session any more.
    if (!isRenewed && generation === this.#generation) this.#keep(null);
    return isRenewed || this.#tokens !== null;
  }

  #keep(tokens: Tokens | null): void {
    this.#generation++;
    if (this.#auth.mode !== "bearer") return;
    this.#tokens = tokens;
    this.#auth.onTokens?.(tokens);
  }
}

function tokensIn(body: unknown): Tokens | null {
  if (typeof body !== "object" || body === null) return null;
  const access = "access_token" in body ? body.access_token : null;
  const refresh = "refresh_token" in body ? body.refresh_token : null;
  return typeof access === "string" && typeof refresh === "string"
    ? { accessToken: access, refreshToken: refresh }
    : null;
}
