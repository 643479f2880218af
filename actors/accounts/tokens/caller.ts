import type { Grant } from "../../../contract/scopes.ts";

/**
 * The authenticated caller. Roles in a channel are looked up per resource, not stored here. With a personal API token, `grant`
 * is what it allows and `sessionId` is the token's id; with a session, `grant` is null. `passedAsStaff` is set by what showed or
 * allowed this request something that others than staff aren't shown, so that its answer is audited, with `shownOwnerId`: whose
 * channel or account the request is about.
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
      passedAsStaff?: boolean;
      shownOwnerId?: string;
    }
  | { kind: "system" };

export type SignedIn = Extract<Caller, { kind: "user" }>;

/** Whoever looks at something; null for callers who aren't signed in. */
export type Viewer = Pick<SignedIn, "userId" | "grant" | "passedAsStaff" | "shownOwnerId"> | null;

export const viewerOf = (caller: Caller): Viewer => (caller.kind === "user" ? caller : null);

/** Null for callers who aren't signed in. */
export const userIdOf = (caller: Caller): string | null => (caller.kind === "user" ? caller.userId : null);
