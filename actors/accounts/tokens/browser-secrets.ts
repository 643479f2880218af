import { createHash, randomBytes } from "node:crypto";

/** Secrets by which a browser shows that it began what it finishes: it has the secret in a cookie, we keep its hash. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

const SECRET = /^[\w-]{43}$/;
/** The secret that a browser presents; null when its form is invalid. */
export const secretFrom = (presented: string | null): string | null =>
  presented !== null && SECRET.test(presented) ? presented : null;

export const bindingOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");
