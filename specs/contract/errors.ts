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
 * Every error code that the service answers, with its HTTP status, default sentence and the form of its details (spec §7).
 * REST and the sockets use the same codes. A spec compares this table with the OpenAPI document.
 */
export const ERRORS = {
  validation_failed: [400, "The request doesn't have the right form.", INVALID_PARTS],
  self_target: [400, "You can't do this to yourself."],
  outcome_unknown: [400, "This prediction has no such outcome.", OUTCOME],
  option_unknown: [400, "This poll has no such option.", OPTION],
  input_required: [400, "This reward asks for something to be written."],
  auth_required: [401, "Sign in to do this."],
  invalid_credentials: [401, "The name or the password is wrong."],
  invalid_code: [401, "This code is wrong, was used, or is of another time."],
  invalid_token: [401, "This token is not valid any more."],
  oauth_failed: [401, "The provider didn't confirm this sign-in, or it is over; begin again."],
  oauth_denied: [403, "The provider wasn't allowed to say who you are."],
  system_key_required: [401, "A valid system key is needed."],
  signature_invalid: [401, "This report isn't signed as it must be."],
  forbidden: [403, "You may not do this."],
  insufficient_scope: [403, "This token isn't good for that.", SCOPES_NEEDED],
  client_header_required: [403, "Requests authenticated by cookie need the X-Service-Client header."],
  step_up_required: [403, "Prove once more that it is you, then try again.", PROOF],
  two_factor_required: [403, "Staff act in a session of two factors: set two-factor authentication up."],
  account_banned: [403, "This account is banned.", APPEALABLE],
  banned: [403, "You are banned from this chat."],
  timed_out: [403, "You are timed out in this chat.", WAIT],
  chat_disabled: [403, "Chat is switched off."],
  followers_only: [403, "Only followers of long enough standing may chat.", FOLLOW_AGE],
  emote_only: [403, "Only emotes may be sent right now."],
  blocked_term: [403, "This can't be said here."],
  first_time_chatter: [403, "The channel is shielded: who was never heard here has to wait."],
  email_not_verified: [403, "Verify your e-mail address first."],
  blocked: [403, "One of you has blocked the other."],
  own_prediction: [403, "You can't take part in a prediction of your own channel."],
  stake_holder: [403, "You hold a stake in this prediction, so you can't decide it."],
  raid_not_accepted: [403, "This channel doesn't take a raid of yours."],
  stream_key_refused: [403, "This stream key may not publish."],
  not_found: [404, "There is no such resource.", MISSING],
  method_not_allowed: [405, "This path doesn't take that method."],
  username_taken: [409, "This username is taken."],
  email_taken: [409, "This e-mail address is in use."],
  username_required: [409, "Choose a username to complete the new account.", COMPLETION],
  email_unverified: [
    409,
    "The account with this address never verified it. Set a new password by mail, then sign in again.",
  ],
  identity_taken: [409, "Another account is linked with this one of the provider."],
  already_linked: [409, "This account is linked with another one of the provider; unlink that first."],
  last_sign_in: [409, "Nothing else lets you in: set a password first."],
  username_locked: [409, "The username can be changed once in 60 days.", CHANGEABLE_AT],
  invalid_state: [409, "This isn't possible in the present state.", STATE],
  target_offline: [409, "This channel is not live."],
  stream_offline: [409, "The raiding channel is not live."],
  no_broadcast: [409, "This channel has had no broadcast yet."],
  raid_in_progress: [409, "This channel has an open raid already."],
  prediction_open: [409, "This channel already has an open prediction."],
  poll_open: [409, "This channel already has an open poll."],
  already_voted: [409, "You voted in this poll already.", OPTION],
  outcome_fixed: [409, "You already backed another outcome of this prediction.", OUTCOME],
  insufficient_points: [409, "You don't have enough points.", BALANCE],
  stake_limit: [409, "This would exceed the most that may be staked on one prediction.", STAKE],
  reward_title_taken: [409, "This channel has a reward of that title."],
  term_taken: [409, "This channel has this term already."],
  emote_name_taken: [409, "There is an emote of that name."],
  slug_taken: [409, "There is a category of that slug."],
  category_not_empty: [409, "There are categories below this one."],
  category_too_deep: [409, "Categories have two levels, and this would be a third one."],
  reward_disabled: [409, "This reward can't be redeemed right now."],
  cooldown: [409, "This reward was just redeemed; wait before the next time.", WAIT],
  redemption_limit: [409, "This reward can't be redeemed again in this broadcast.", BROADCAST_LIMIT],
  nothing_to_claim: [409, "There is no bonus to claim."],
  limit_reached: [409, "There are as many of these as there may be.", LIMIT],
  already_subscribed: [409, "This user subscribes to this channel already."],
  idempotency_conflict: [409, "This Idempotency-Key was used with another request."],
  duplicate_message: [409, "This message was just sent.", WAIT],
  publisher_connected: [409, "Another publisher is connected with this stream key."],
  not_claimed: [409, "Claim this before you decide it."],
  appeal_open: [409, "An appeal against this is waiting for its decision."],
  payload_too_large: [413, "The request body is too large.", MAX_BYTES],
  unsupported_media_type: [415, "Send the body in the media type that the operation takes.", MEDIA_TYPES],
  rate_limited: [429, "Too many requests; slow down.", USED_UP],
  slow_mode: [429, "Slow mode is on; wait before the next message.", SLOW_MODE],
  internal: [500, "Something went wrong on our side."],
  unavailable: [503, "A part that this needs is away for the moment; try again.", WAIT],
} as const satisfies Record<string, readonly [status: number, message: string, details?: DetailsSchema]>;

export type ErrorCode = keyof typeof ERRORS;

/** What may be told beside a code, by the registry; never for codes that say it all. */
export type DetailsOf<Code extends ErrorCode> = Code extends ErrorCode
  ? (typeof ERRORS)[Code] extends readonly [number, string, infer Schema]
    ? ValueOf<Schema>
    : never
  : never;
export type ErrorDetails = DetailsOf<ErrorCode>;

/** A code with details that fit it. */
export type Refusal = {
  [Code in ErrorCode]: { code: Code; details?: DetailsOf<Code> };
}[ErrorCode];

/** The body of every answer that is not 2xx (spec §7). */
export type ErrorEnvelope = { code: ErrorCode; message: string; details?: ErrorDetails };

type Options = ErrorOptions & { message?: string };
type Arguments = {
  [Code in ErrorCode]: [code: Code, details?: DetailsOf<Code> | undefined, options?: Options];
}[ErrorCode];

/**
 * What a client may be told. `details` go out as they are, so never put a secret in.
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

  /** Of a code and details that belong together, which the compiler can't follow through a union. */
  static of({ code, details }: Refusal, options?: Options): ServiceError {
    return new ServiceError(...([code, details, options] as Arguments));
  }

  get status(): number {
    return ERRORS[this.code][0];
  }

  /** How long to wait before the next try; null where waiting isn't the way. */
  get retryAfterMs(): number | null {
    return this.details && "retry_after_ms" in this.details ? (this.details.retry_after_ms ?? null) : null;
  }

  envelope(): ErrorEnvelope {
    return { code: this.code, message: this.message, ...(this.details ? { details: this.details } : {}) };
  }
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
