// What other contexts of this row may know of accounts.
export type { Directory } from "./profile/directory.ts";
export { summaryOf, userSummary } from "./profile/views.ts";
export type { UserSessions } from "./sessions/user-sessions.ts";
export type { AccountBanning } from "./staff/account-bans.ts";
export { isAbleStaff, type Staff } from "./staff/staff.ts";
export { type Banned, isBeingErased, type StandingChanges, standingIn } from "./standing/account-standing.ts";
export type { AuditTrail } from "./standing/audit-trail.ts";
export { staffLogRow } from "./standing/staff-log-rows.ts";
export { roomStandingSource } from "./standing/status-changes.ts";
export type { ApiTokens } from "./tokens/api-tokens.ts";
export type { SignedIn, Viewer } from "./tokens/caller.ts";
export { newKeyOf, streamKeyHash } from "./tokens/stream-keys.ts";
