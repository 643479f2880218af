/**
 * What errors say beside their code: a JSON Schema for each kind of `details`, and the TypeScript type that follows from
 * it. The registry in `errors.ts` says which code has which; the OpenAPI document takes schema and example from here.
 */
type Scalar = {
  readonly type: "string" | "integer" | readonly ["string", "null"];
  readonly format?: "date-time" | "uuid";
  readonly minimum?: number;
  readonly description?: string;
};
type List = {
  readonly type: "array";
  readonly items: Scalar | Omit<DetailsSchema, "examples">;
  readonly description?: string;
};

export type DetailsSchema = {
  readonly type: "object";
  /** An error whose details require nothing may have none. */
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, Scalar | List>>;
  readonly examples: readonly [object];
};

type Fields<P, Required> = {
  [Name in keyof P as Name extends Required ? Name : never]: ValueOf<P[Name]>;
} & {
  [Name in keyof P as Name extends Required ? never : Name]?: ValueOf<P[Name]>;
};

/** The values that a schema describes. */
export type ValueOf<Schema> = Schema extends { type: "string" }
  ? string
  : Schema extends { type: "integer" }
    ? number
    : Schema extends { type: readonly ["string", "null"] }
      ? string | null
      : Schema extends { type: "array"; items: infer Item }
        ? ValueOf<Item>[]
        : Schema extends { type: "object"; properties: infer P; required: readonly (infer R)[] }
          ? Fields<P, R>
          : never;

const waitMs = {
  type: "integer",
  minimum: 0,
  description: "Milliseconds to wait before trying again; Retry-After has the same in whole seconds.",
} as const;

const limit = { type: "integer", description: "The bucket's limit." } as const;
const windowSeconds = { type: "integer", description: "The bucket's window in seconds." } as const;

export const INVALID_PARTS = {
  type: "object",
  required: ["errors"],
  properties: {
    errors: {
      type: "array",
      description: "The first 20 errors found.",
      items: {
        type: "object",
        required: ["path", "rule", "message"],
        properties: {
          path: {
            type: "string",
            description:
              "A JSON pointer that begins with the part of the request: /body, /path, /query or /header; on sockets it begins at the frame.",
          },
          rule: {
            type: "string",
            description: "The rule that was violated; a JSON Schema keyword if it is one.",
          },
          message: { type: "string", description: "The violated rule in English." },
        },
      },
    },
  },
  examples: [
    {
      errors: [{ path: "/path/stream_id", rule: "format", message: "must be a UUID" }],
    },
  ],
} as const satisfies DetailsSchema;

export const WAIT = {
  type: "object",
  required: ["retry_after_ms"],
  properties: { retry_after_ms: waitMs },
  examples: [{ retry_after_ms: 1_000 }],
} as const satisfies DetailsSchema;

export const USED_UP = {
  type: "object",
  required: ["bucket"],
  properties: {
    bucket: { type: "string", description: "The name of the bucket that refused the request." },
    limit,
    window_seconds: {
      ...windowSeconds,
      description: "The bucket's window in seconds; absent if the bucket has none.",
    },
    // Required over REST (see the OpenAPI rules); a socket that follows too much isn't helped by waiting.
    retry_after_ms: waitMs,
  },
  examples: [{ bucket: "default", limit: 600, window_seconds: 60, retry_after_ms: 1_500 }],
} as const satisfies DetailsSchema;

export const SLOW_MODE = {
  type: "object",
  required: ["bucket", "limit", "window_seconds", "retry_after_ms"],
  properties: {
    bucket: { type: "string" },
    limit,
    window_seconds: { ...windowSeconds, description: "The room's slow mode in seconds." },
    retry_after_ms: waitMs,
  },
  examples: [{ bucket: "slow_mode", limit: 1, window_seconds: 30, retry_after_ms: 12_000 }],
} as const satisfies DetailsSchema;

export const FOLLOW_AGE = {
  type: "object",
  required: ["minutes"],
  properties: {
    minutes: { type: "integer", description: "How many minutes a user must have followed the channel." },
    retry_after_ms: {
      ...waitMs,
      description: "Absent for users who don't follow the channel: waiting alone won't help them.",
    },
  },
  examples: [{ minutes: 10, retry_after_ms: 240_000 }],
} as const satisfies DetailsSchema;

export const MISSING = {
  type: "object",
  required: [],
  properties: {
    missing: {
      type: "string",
      description:
        "`path` if the service has no such path; absent when the path exists and the thing doesn't.",
    },
    category_id: { type: "string", description: "The id from the body for which there is no category." },
    reply_to_id: {
      type: "string",
      format: "uuid",
      description: "The id from the body for which there is no message.",
    },
  },
  examples: [{}],
} as const satisfies DetailsSchema;

export const STATE = {
  type: "object",
  required: [],
  properties: {
    status: { type: ["string", "null"], description: "The current state, if it has a name." },
    channel: { type: "string", description: "On sockets: the topic that is already subscribed to." },
  },
  examples: [{ status: "locked" }],
} as const satisfies DetailsSchema;

export const OUTCOME = {
  type: "object",
  required: ["outcome_id"],
  properties: { outcome_id: { type: "string" } },
  examples: [{ outcome_id: "019cedc1-6340-7c03-a1d2-0c5e8b7f4a69" }],
} as const satisfies DetailsSchema;

export const OPTION = {
  type: "object",
  required: ["option_id"],
  properties: { option_id: { type: "string" } },
  examples: [{ option_id: "019cedc1-7000-7a41-8b2c-3d4e5f607181" }],
} as const satisfies DetailsSchema;

export const BALANCE = {
  type: "object",
  required: ["balance"],
  properties: { balance: { type: "integer", description: "The points that are left to spend." } },
  examples: [{ balance: 120 }],
} as const satisfies DetailsSchema;

export const STAKE = {
  type: "object",
  required: ["limit", "staked"],
  properties: {
    limit: { type: "integer", description: "The maximum stake." },
    staked: { type: "integer", description: "The points staked so far." },
  },
  examples: [{ limit: 250_000, staked: 249_900 }],
} as const satisfies DetailsSchema;

export const LIMIT = {
  type: "object",
  required: ["limit"],
  properties: { limit: { type: "integer", description: "The maximum number." } },
  examples: [{ limit: 50 }],
} as const satisfies DetailsSchema;

export const BROADCAST_LIMIT = {
  type: "object",
  required: ["limit", "per"],
  properties: {
    limit: { type: "integer", description: "How often the reward may be redeemed in one broadcast." },
    per: {
      type: "string",
      description: "`user` if the caller's own redemptions are limited, `stream` if all redemptions are.",
    },
  },
  examples: [{ limit: 1, per: "user" }],
} as const satisfies DetailsSchema;

export const CHANGEABLE_AT = {
  type: "object",
  required: [],
  properties: {
    changeable_at: {
      type: "string",
      format: "date-time",
      description: "When the username may be changed again.",
    },
  },
  examples: [{ changeable_at: "2026-05-13T18:20:00.000Z" }],
} as const satisfies DetailsSchema;

export const MAX_BYTES = {
  type: "object",
  required: ["most_bytes"],
  properties: { most_bytes: { type: "integer", description: "The maximum size of the body in bytes." } },
  examples: [{ most_bytes: 65_536 }],
} as const satisfies DetailsSchema;

export const MEDIA_TYPES = {
  type: "object",
  required: [],
  properties: {
    accepted: {
      type: "array",
      items: { type: "string" },
      description: "The media types that the operation accepts.",
    },
  },
  examples: [{ accepted: ["application/json"] }],
} as const satisfies DetailsSchema;

export const SCOPES_NEEDED = {
  type: "object",
  required: ["scopes"],
  properties: {
    scopes: {
      type: "array",
      items: { type: "string" },
      description: "All scopes that a personal token needs for this; empty if personal tokens are refused.",
    },
    stream_id: {
      type: "string",
      format: "uuid",
      description: "If the token is for one channel only: that channel's stream.",
    },
  },
  examples: [{ scopes: ["chat:send"] }],
} as const satisfies DetailsSchema;

export const APPEALABLE = {
  type: "object",
  required: [],
  properties: {
    appeal_token: {
      type: "string",
      description:
        "Only in the answer to a refused login: allows an appeal against this ban for 24 hours, and nothing else.",
    },
    subject_type: { type: "string", description: "For the appeal: `ban`." },
    subject_id: { type: "string", format: "uuid", description: "For the appeal: the id of the ban." },
    reason: {
      type: "string",
      description: "Why the account was banned, as staff wrote it; beside the appeal token.",
    },
  },
  examples: [{}],
} as const satisfies DetailsSchema;

export const COMPLETION = {
  type: "object",
  required: ["completion_token", "expires_in", "email"],
  properties: {
    completion_token: {
      type: "string",
      description:
        "Completes the account. Works once, and only on the device that signed in with the provider.",
    },
    expires_in: { type: "integer", description: "Seconds until the token expires." },
    email: {
      type: "string",
      description: "`known`: the provider has given an address; `required`: the completion must include one.",
    },
  },
  examples: [
    {
      completion_token: "lc_oc_3hVq9sWm2Xc7RtYbLk0PzNf5aHdJ8fGa4eUo6iBsxQM",
      expires_in: 600,
      email: "known",
    },
  ],
} as const satisfies DetailsSchema;

export const PROOF = {
  type: "object",
  required: ["methods", "max_age_seconds"],
  properties: {
    methods: {
      type: "array",
      items: { type: "string" },
      description:
        "The proofs that a step-up accepts for this account: `password`; `code` with two-factor authentication; or `sign_in` without a password: sign in again with the provider. `passkey` besides, if the account has one.",
    },
    max_age_seconds: { type: "integer", description: "How many seconds a step-up or sign-in is valid." },
  },
  examples: [{ methods: ["password"], max_age_seconds: 300 }],
} as const satisfies DetailsSchema;
