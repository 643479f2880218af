/**
 * What the interface's core (docs/interface.md) has besides resources and enumerations, each with what traffic must have shown
 * of it.
 */

/** Endpoints that the interface lists by path; a 2xx answer shows one. Paths are as the OpenAPI document has them. */
export const ENDPOINTS: [methods: string, path: string][] = [
  ["GET", "/healthz"],
  ["GET", "/v1/app/min-version"],
  ["POST", "/v1/auth/ws-ticket"],
  ["POST", "/v1/auth/2fa"],
  ["GET POST", "/v1/auth/tokens"],
  ["GET POST", "/v1/tokens"],
  ["GET", "/v1/users/me/subscriptions"],
  ["POST", "/v1/users/me/2fa/totp/verify"],
  ["POST", "/v1/webhooks/billing"],
  ["GET POST", "/v1/bot/messages"],
  ["POST", "/v1/support"],
  ["POST", "/v1/appeals"],
  ["GET DELETE", "/v1/users/me/sessions"],
  ["GET", "/v1/users/me/export"],
  ["GET", "/v1/admin/reports"],
  ["GET", "/v1/admin/appeals"],
  ["GET", "/v1/admin/users/{id}/strikes"],
];

/** Resources that are answered as pages (Paginated*); a page that isn't empty shows one. */
export const PAGES =
  "StreamCard Clip Notification Video ChannelSubscription Tip Redemption ModerationAction UserSummary Prediction".split(
    " ",
  );

/** A 2xx answer of an operation with the tag shows it. */
export const TAGS =
  "auth users streams discovery social chat clips raids notifications viewers videos monetization points schedule predictions safety seo analytics system".split(
    " ",
  );

/** The carriers of credentials: each is shown by a 2xx answer that requires credentials. */
export const CARRIERS: [carrier: string, what: string][] = [
  ["bearer", "`Authorization: Bearer` with an access token (JWT)"],
  ["cookie", "cookie `lc_access_token`"],
  ["api_key", "`X-API-Key` with a personal API token"],
  ["api_bearer", "`Authorization: Bearer` with a personal API token"],
  ["system_key", "`X-System-Key`"],
  ["ticket", "query parameter `ticket` of a WebSocket"],
  ["two_factor_token", "`two_factor_token` in the body"],
];

/** `header …` and `cookie …` as the observer names them. */
export const HEADERS: [header: string, what: string][] = [
  ["Retry-After", "`Retry-After` with 429"],
  ["X-Auth-Mode", "`X-Auth-Mode: bearer` answered with tokens in the body"],
  ["X-Service-Client", "`X-Service-Client` on a change of state by cookie"],
  ["lc_access_token", "cookie `lc_access_token` is set"],
  ["lc_refresh_token", "cookie `lc_refresh_token` is set"],
  ["lc_device_id", "cookie `lc_device_id` is set"],
];

/** Events of the interface: each is shown by a frame of the public realtime port, or by an operation. */
export const EVENTS: [what: string, shownBy: string][] = [
  ["Chat in real time over a WebSocket, as ChatMessage", "frame chat.message"],
  ["A chat settings toggle told to the room's sockets", "frame chat.modes"],
  ["Realtime viewer counts over a WebSocket", "frame viewers.count"],
  ["Stream events: a broadcast began", "frame stream.live"],
  ["Stream events: a broadcast ended", "frame stream.offline"],
  ["Viewer heartbeat", "operation POST /v1/viewers/heartbeat"],
  ["Inbound ingest (RTMP) hook: publish", "operation POST /v1/webhooks/ingest/publish"],
  ["Inbound ingest (RTMP) hook: publish-done", "operation POST /v1/webhooks/ingest/publish-done"],
  ["Inbound media-service webhooks", "operation POST /v1/webhooks/media"],
  ["Inbound billing webhook", "operation POST /v1/webhooks/billing"],
];

export const ERROR_CODES: [status: number, code: string][] = [
  [400, "validation_failed"],
  [401, "auth_required"],
  [403, "forbidden"],
  [404, "not_found"],
  [409, "username_taken"],
  [429, "rate_limited"],
  [500, "internal"],
];

/**
 * Limits, tested from both sides: `accepts` in a request that was answered 2xx, `refuses` in one that was refused because of it.
 * `of` is "query" or the resource that the operation answers with; lists and texts count by their length.
 */
export const LIMITS: { of: string; name: string; accepts: number[]; refuses: number[]; missing?: number }[] =
  [
    { of: "query", name: "per_page", accepts: [1, 100], refuses: [0, 101], missing: 24 },
    { of: "query", name: "page", accepts: [1], refuses: [0], missing: 1 },
    { of: "Stream", name: "tags", accepts: [10], refuses: [11] },
    { of: "Whisper", name: "content", accepts: [500], refuses: [501] },
    { of: "ScheduleEntry", name: "recurrence_weekday", accepts: [0, 6], refuses: [-1, 7] },
  ];

/** State transitions of the lifecycles, as their histories record them. */
export const CHANGES: [lifecycle: string, changes: [from: string, to: string][]][] = [
  [
    "Stream",
    [
      ["offline", "live"],
      ["live", "offline"],
    ],
  ],
  [
    "Prediction",
    [
      ["none", "active"],
      ["active", "locked"],
      ["active", "resolved"],
      ["active", "cancelled"],
      ["locked", "resolved"],
      ["locked", "cancelled"],
    ],
  ],
  [
    "Raid",
    [
      ["none", "pending"],
      ["pending", "active"],
      ["pending", "cancelled"],
      ["active", "completed"],
    ],
  ],
  [
    "Redemption",
    [
      ["none", "pending"],
      ["pending", "fulfilled"],
      ["pending", "refunded"],
    ],
  ],
  [
    "Subscription",
    [
      ["none", "active"],
      ["active", "past_due"],
      ["active", "cancelled"],
      ["past_due", "active"],
      ["past_due", "expired"],
      ["cancelled", "active"],
      ["cancelled", "expired"],
    ],
  ],
  [
    "Report",
    [
      ["none", "open"],
      ["open", "reviewing"],
      ["reviewing", "open"],
      ["reviewing", "actioned"],
      ["reviewing", "dismissed"],
    ],
  ],
];
