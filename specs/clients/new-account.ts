import { randomBytes } from "node:crypto";

/** The body of `register` for a new user. */
export function newAccount() {
  const username = `c_${randomBytes(8).toString("hex")}`;
  return { username, email: `${username}@example.com`, password: "a long phrase for specs" };
}
