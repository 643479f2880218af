import type { Scope } from "../../specs/contract/scopes.ts";

/** What a personal API token allows, and until when (ms, null for always). */
export type Grant = { scopes: readonly Scope[]; expiresAt: number | null };

/**
 * The caller, as authentication found out. Roles in a channel are looked up by resource, not kept here. With a personal API
 * token `grant` is what it allows, and `sessionId` the token's id; with a session `grant` is null.
 */
export type Caller =
  | { kind: "anonymous" }
  | {
      kind: "user";
      userId: string;
      username: string;
      sessionId: string;
      via: "bearer" | "cookie" | "api_key";
      grant: Grant | null;
    }
  | { kind: "system" };

export type SignedIn = Extract<Caller, { kind: "user" }>;

/** Null for whoever isn't signed in. */
export const userIdOf = (caller: Caller): string | null => (caller.kind === "user" ? caller.userId : null);
