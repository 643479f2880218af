import type { Log } from "./log.ts";

/**
 * The audit log (docs/audit-log.md): what an operator needs after an incident, one line each, in the stream of the
 * other logs and marked `audit: true`. It contains ids, addresses and channel names, never a secret and no text that
 * somebody typed: people type passwords into the wrong field.
 */

/** The source of a request. */
export type Origin = {
  /** The client's address, as far as trusted proxies report it. */
  ip: string;
  userAgent: string | null;
  /** The id of the request; for a socket its connection_id. */
  requestId: string;
};

/** Who acts. userId null: an unknown user, or the service itself; origin null: no request. */
export type Actor = { userId: string | null; origin: Origin | null };

/** Actions of an operator at the terminal, and of the service itself. */
export const OPERATOR: Actor = { userId: null, origin: null };

/** Each event's own fields, besides address, userId and requestId, which all events have. */
export const AUDIT_EVENTS = {
  registered: [],
  "invitation.created": ["invitationId"],
  "invitation.revoked": ["invitationId"],
  "invitation.used": ["invitationId"],
  "sign_in.succeeded": ["sessionId", "device"],
  "sign_in.refused": ["reason"],
  "sign_in.throttled": ["bucket", "retryAfterMs"],
  "reauthentication.refused": ["purpose"],
  "reauthentication.throttled": ["purpose", "bucket", "retryAfterMs"],
  "oauth.linked": ["provider", "how"],
  "oauth.unlinked": ["provider"],
  "sign_in.password_accepted": ["device"],
  "sign_in.provider_accepted": ["device"],
  "step_up.succeeded": ["sessionId"],
  "two_factor.enabled": ["accountId"],
  "two_factor.disabled": ["accountId"],
  "passkey.added": ["passkeyId"],
  "passkey.removed": ["passkeyId"],
  "passkey.counter_regressed": ["passkeyId"],
  "recovery_codes.renewed": ["accountId"],
  "recovery_code.used": ["accountId"],
  sign_out: ["sessionId"],
  "session.ended": ["sessionId", "accountId", "reason"],
  "refresh_token.reused": ["sessionId"],
  "api_token.created": ["grantId", "scopes"],
  "api_token.ended": ["grantId", "accountId", "reason"],
  "username.changed": ["from", "to"],
  "email.change_requested": [],
  "email.verified": [],
  "email.changed": [],
  "password.changed": [],
  "account.deleted": [],
  "account.restored": [],
  "account.erased": ["accountId"],
  "account.exported": [],
  "email.restored": [],
  "password.reset": [],
  "account.banned": ["accountId"],
  "account.unbanned": ["accountId"],
  "staff.granted": ["accountId"],
  "staff.revoked": ["accountId"],
  "role.granted": ["streamId", "accountId", "role"],
  "role.revoked": ["streamId", "accountId", "role"],
  "staff.acted": ["operation", "ids"],
  "staff.read": ["operation", "ids"],
  "moderation.acted": ["streamId", "accountId", "action", "standing"],
  "report.handled": ["reportId", "accountId", "action", "measures"],
  "appeal.handled": ["appealId", "accountId", "action"],
  "support.handled": ["supportId", "action"],
  "strike.given": ["accountId", "strikeId"],
  "strike.revoked": ["accountId", "strikeId"],
  "account.verified": ["accountId", "isVerified"],
  "emote.added": ["emoteId"],
  "emote.removed": ["emoteId"],
  "badge.added": ["badgeId"],
  "badge.removed": ["badgeId"],
  "badge.granted": ["badgeId", "accountId"],
  "badge.revoked": ["badgeId", "accountId"],
  "category.added": ["categoryId"],
  "category.changed": ["categoryId"],
  "category.removed": ["categoryId"],
  "featured.changed": ["accounts"],
  "stream_key.rotated": ["streamId"],
  "signing_key.rotated": ["kid", "period"],
  "master_key.resealed": ["unopened"],
  "database.restored": [
    "backupTime",
    "sessions",
    "grants",
    "bans",
    "mails",
    "pushes",
    "notifications",
    "calls",
  ],
  "outbox.released": ["what", "count"],
  "outbox.dropped": ["what", "count"],
  "system_key.refused": ["operation"],
  "hook.refused": ["operation", "reason"],
} as const satisfies Record<string, readonly (keyof Fields)[]>;

type Fields = {
  sessionId: string;
  invitationId: string;
  /** The account that is affected, if it isn't the acting one; null for a whole room. */
  accountId: string | null;
  /** Whether the device presented its secret. */
  device: "known" | "new";
  /** Only constants from the code, never user input. */
  reason: string;
  purpose: "email" | "password" | "deletion" | "two_factor" | "step_up";
  bucket: string;
  retryAfterMs: number;
  /** Its id in the configuration. */
  provider: string;
  /** `registered`: with the new account; `address`: by an address that both verified; `asked`: by the signed-in owner. */
  how: "registered" | "address" | "asked";
  passkeyId: string;
  /** The id of a personal API token; the name avoids "token", which would be taken for a secret. */
  grantId: string;
  /** Separated by spaces. */
  scopes: string;
  from: string;
  to: string;
  streamId: string;
  role: "moderator" | "vip";
  action: string;
  standing: "owner" | "staff" | "moderator" | "vip" | null;
  reportId: string;
  appealId: string;
  supportId: string;
  strikeId: string;
  /** Types of measures, separated by spaces; "" for none. */
  measures: string;
  isVerified: boolean;
  emoteId: string;
  badgeId: string;
  categoryId: string;
  /** Account ids, separated by spaces. */
  accounts: string;
  kid: string;
  /** How many sealed values no key could open. */
  unopened: number;
  period: number;
  backupTime: string;
  /** How many of each a restore ended (sessions, tokens), wrote back (bans) or holds. */
  sessions: number;
  grants: number;
  bans: number;
  mails: number;
  pushes: number;
  notifications: number;
  calls: number;
  what: "mails" | "pushes" | "notifications" | "calls";
  count: number;
  operation: string;
  /** The ids in the request, as "stream_id=<uuid>", and "id=<uuid>" for what the answer shows; separated by spaces. */
  ids: string;
};

export type AuditEvent = keyof typeof AUDIT_EVENTS;
export type AuditFields<Event extends AuditEvent> = Pick<Fields, (typeof AUDIT_EVENTS)[Event][number]>;

export type Audit = <Event extends AuditEvent>(event: Event, by: Actor, fields: AuditFields<Event>) => void;

/** `log` has to write whatever the log level is. */
export function createAudit(log: Pick<Log, "info">): Audit {
  return (event, { userId, origin }, fields) =>
    log.info(
      {
        audit: true,
        event,
        address: origin?.ip ?? null,
        userId,
        requestId: origin?.requestId ?? null,
        ...fields,
      },
      "audit",
    );
}
