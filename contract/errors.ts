import {
  APPEALABLE,
  BALANCE,
  BROADCAST_LIMIT,
  CHANGEABLE_AT,
  COMPLETION,
  type DetailsSchema,
  FOLLOW_AGE,
  INVALID_PARTS,
  LIMIT,
  MAX_BYTES,
  MEDIA_TYPES,
  MISSING,
  OPTION,
  OUTCOME,
  PROOF,
  SCOPES_NEEDED,
  SLOW_MODE,
  STAKE,
  STATE,
  USED_UP,
  type ValueOf,
  WAIT,
} from "./error-details.ts";

/**
 * Every error code that the service answers, with its HTTP status, default sentence and the form of its details
 * (docs/interface.md#7-errors). REST and the sockets use the same codes. A spec compares this table with the OpenAPI document.
 */
export const ERRORS = {
  validation_failed: [400, "The request is invalid.", INVALID_PARTS],
  self_target: [400, "You can't do this to yourself."],
  outcome_unknown: [400, "This prediction doesn't have that outcome.", OUTCOME],
  option_unknown: [400, "This poll doesn't have that option.", OPTION],
  input_required: [400, "This reward requires a text."],
  auth_required: [401, "Log in to do this."],
  invalid_credentials: [401, "The username, email address or password is wrong."],
  invalid_code: [401, "This code is wrong, has expired, or was already used."],
  invalid_token: [401, "This token is no longer valid."],
  passkey_refused: [401, "This passkey wasn't accepted. Try again, or log in another way."],
  oauth_failed: [401, "The other service didn't confirm this login, or it took too long. Start again."],
  oauth_denied: [403, "You cancelled at the other service. Try again, or log in another way."],
  system_key_required: [401, "A valid system key is required."],
  signature_invalid: [401, "The webhook's signature is missing, invalid or too old."],
  forbidden: [403, "You don't have permission to do this."],
  insufficient_scope: [403, "This token doesn't have the required scopes.", SCOPES_NEEDED],
  sign_up_closed: [403, "Sign-up is closed right now."],
  invitation_required: [403, "You need an invitation to make an account here."],
  invitation_invalid: [403, "This invitation is wrong, has expired, or was used up."],
  client_header_required: [403, "Requests authenticated by cookie require the X-Service-Client header."],
  step_up_required: [403, "Confirm your identity, then try again.", PROOF],
  two_factor_required: [403, "Staff need two-factor authentication to do this. Set it up first."],
  account_banned: [403, "This account is banned.", APPEALABLE],
  banned: [403, "You are banned from this chat."],
  timed_out: [403, "You are timed out in this chat.", WAIT],
  chat_disabled: [403, "Chat is turned off."],
  followers_only: [403, "Only users who have followed this channel for long enough may chat.", FOLLOW_AGE],
  emote_only: [403, "Only emotes can be sent right now."],
  blocked_term: [403, "This message contains something that isn't allowed here."],
  first_time_chatter: [
    403,
    "Shield mode is on: users who have never chatted here can't send messages right now.",
  ],
  email_not_verified: [403, "Verify your email address first."],
  unban_requests_disabled: [403, "This channel doesn't take unban requests."],
  blocked: [403, "You can't do this because one of you has blocked the other."],
  own_prediction: [403, "You can't bet on a prediction of your own channel."],
  stake_holder: [403, "You can't decide this prediction because you have bet on it."],
  raid_not_accepted: [403, "This channel doesn't accept raids from you."],
  stream_key_refused: [403, "This stream key can't be used to publish."],
  not_found: [404, "This doesn't exist, or it was deleted.", MISSING],
  method_not_allowed: [405, "This path doesn't support that method."],
  username_taken: [409, "This username is already taken."],
  email_taken: [409, "This email address is already in use."],
  username_required: [409, "Choose a username to complete the new account.", COMPLETION],
  email_unverified: [
    409,
    "The account with this email address hasn't verified it. Reset the password by email, then log in again.",
  ],
  identity_taken: [409, "That account is already connected with another account here."],
  already_linked: [
    409,
    "Your account is already connected with another account of this service. Disconnect that one first.",
  ],
  passkey_taken: [409, "This passkey is already registered."],
  last_sign_in: [409, "This is your only way to log in. Set a password first."],
  username_locked: [409, "The username can be changed only once in 60 days.", CHANGEABLE_AT],
  invalid_state: [409, "This has changed in the meantime. Reload, then try again.", STATE],
  target_offline: [409, "This channel is not live."],
  stream_offline: [409, "The raiding channel is not live."],
  no_broadcast: [409, "This channel hasn't been live yet."],
  raid_in_progress: [409, "This channel already has an open raid."],
  prediction_open: [409, "This channel already has an open prediction."],
  poll_open: [409, "This channel already has an open poll."],
  not_banned: [409, "There is no ban to lift."],
  unban_request_pending: [409, "Your unban request is still undecided."],
  unban_request_denied: [409, "Your unban request was denied. Wait before you send another one.", WAIT],
  already_voted: [409, "You have already voted in this poll.", OPTION],
  outcome_fixed: [409, "You have already bet on another outcome of this prediction.", OUTCOME],
  insufficient_points: [409, "You don't have enough points.", BALANCE],
  stake_limit: [409, "This would exceed the maximum stake on one prediction.", STAKE],
  reward_title_taken: [409, "This channel already has a reward with that title."],
  term_taken: [409, "This channel already has this term."],
  emote_name_taken: [409, "There is already an emote with that name."],
  badge_name_reserved: [409, "This name looks like that of a badge that is the same in all rooms."],
  slug_taken: [409, "There is already a category with that slug."],
  category_not_empty: [409, "This category still has subcategories."],
  category_too_deep: [409, "Categories can have only two levels."],
  reward_disabled: [409, "This reward can't be redeemed right now."],
  cooldown: [409, "This reward is on cooldown.", WAIT],
  redemption_limit: [409, "This reward can't be redeemed again during this stream.", BROADCAST_LIMIT],
  nothing_to_claim: [409, "There is no bonus to claim."],
  limit_reached: [409, "You've reached the limit. Remove one, then try again.", LIMIT],
  already_subscribed: [409, "This user is already subscribed to this channel."],
  idempotency_conflict: [409, "This Idempotency-Key was already used with another request."],
  duplicate_message: [409, "You have just sent this message.", WAIT],
  publisher_connected: [409, "Another publisher is already connected with this stream key."],
  not_claimed: [409, "You haven't claimed this, or not any more."],
  appeal_open: [409, "An appeal against this is still undecided."],
  payload_too_large: [413, "The request body is too large.", MAX_BYTES],
  unsupported_media_type: [415, "This operation doesn't accept that media type.", MEDIA_TYPES],
  rate_limited: [429, "You're doing that too often.", USED_UP],
  slow_mode: [429, "Slow mode is on. Wait before sending the next message.", SLOW_MODE],
  internal: [500, "Something went wrong on our side. Try again in a moment."],
  unavailable: [503, "Something that this needs is temporarily unavailable. Try again.", WAIT],
} as const satisfies Record<string, readonly [status: number, message: string, details?: DetailsSchema]>;

export type ErrorCode = keyof typeof ERRORS;

/** The details of a code, by the registry; never for codes without any. */
export type DetailsOf<Code extends ErrorCode> = Code extends ErrorCode
  ? (typeof ERRORS)[Code] extends readonly [number, string, infer Schema]
    ? ValueOf<Schema>
    : never
  : never;
export type ErrorDetails = DetailsOf<ErrorCode>;

/** A 503 always says when to try again. */
type NeedsDetails = "unavailable";

/** A code with details that fit it. */
export type Refusal = {
  [Code in ErrorCode]: Code extends NeedsDetails
    ? { code: Code; details: DetailsOf<Code> }
    : { code: Code; details?: DetailsOf<Code> };
}[ErrorCode];

/** The body of every answer that is not 2xx (docs/interface.md#7-errors). */
export type ErrorEnvelope = { code: ErrorCode; message: string; details?: ErrorDetails };

type Options = ErrorOptions & { message?: string };
type Arguments = {
  [Code in ErrorCode]: Code extends NeedsDetails
    ? [code: Code, details: DetailsOf<Code>, options?: Options]
    : [code: Code, details?: DetailsOf<Code> | undefined, options?: Options];
}[ErrorCode];

/**
 * An error that clients may see. `details` go out as they are, so never put a secret in.
 * `retry_after_ms` in `details` becomes the Retry-After header (whole seconds, rounded up).
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;

  constructor(...[code, details, options]: Arguments) {
    super(options?.message ?? ERRORS[code][1], options);
    this.name = "ServiceError";
    this.code = code;
    this.details = details;
  }

  /** Creates an error from a matching code and details, which the compiler can't follow through a union. */
  static of({ code, details }: Refusal, options?: Options): ServiceError {
    return new ServiceError(...([code, details, options] as Arguments));
  }

  get status(): number {
    return ERRORS[this.code][0];
  }

  /** How long to wait before the next try, ms; null when waiting doesn't help. */
  get retryAfterMs(): number | null {
    return this.details && "retry_after_ms" in this.details ? (this.details.retry_after_ms ?? null) : null;
  }

  envelope(): ErrorEnvelope {
    return { code: this.code, message: this.message, ...(this.details ? { details: this.details } : {}) };
  }
}

/** One fault of a request: `path` is a JSON pointer from the request's part ("/body/title", "/query/page"). */
export type InvalidPart = { path: string; rule: string; message: string };

/** A `validation_failed` for these faults. */
export const invalid = (...errors: InvalidPart[]) => new ServiceError("validation_failed", { errors });

/** An `unavailable`; clients wait for a second before the next try unless `retryAfterMs` says otherwise. */
export const unavailable = ({ retryAfterMs = 1_000, ...options }: Options & { retryAfterMs?: number } = {}) =>
  new ServiceError("unavailable", { retry_after_ms: retryAfterMs }, options);

/** At most `limit` in a window; `bucket` is its name to clients. */
export type RateLimit = { bucket: string; limit: number; windowSeconds: number };

/** The details of a `rate_limited`. `waitMs`: until the next try may succeed. */
export const usedUp = ({ bucket, limit, windowSeconds }: RateLimit, waitMs: number) => ({
  bucket,
  limit,
  window_seconds: windowSeconds,
  retry_after_ms: Math.max(1, Math.ceil(waitMs)),
});

export const rateLimited = (limit: RateLimit, waitMs: number) =>
  new ServiceError("rate_limited", usedUp(limit, waitMs));

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

/** Of a path that no operation, page or socket has; any other `not_found` is about what a path names. */
export const noSuchPath = (): ServiceError =>
  new ServiceError("not_found", { missing: "path" }, { message: "This path doesn't exist." });
