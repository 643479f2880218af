/** The caller, as authentication found out. Roles in a channel are looked up by resource, not kept here. */
export type Caller =
  | { kind: "anonymous" }
  | { kind: "user"; userId: string; username: string; sessionId: string; via: "bearer" | "cookie" }
  | { kind: "system" };

export type SignedIn = Extract<Caller, { kind: "user" }>;
