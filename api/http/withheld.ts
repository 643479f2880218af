import type { Caller } from "../../actors/accounts/tokens/caller.ts";

/** The body without what only sessions get (`x-withheld`), whatever the handler returned. */
export function withoutSecrets(fields: readonly string[], caller: Caller, body: unknown): unknown {
  const isByToken = caller.kind === "user" && caller.grant !== null;
  if (fields.length === 0 || !isByToken || typeof body !== "object" || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field)));
}
