import { randomBytes } from "node:crypto";

/** What `register` takes, for somebody who isn't there yet. */
export function newAccount() {
  const username = `c_${randomBytes(8).toString("hex")}`;
  return { username, email: `${username}@example.com`, password: "a long phrase for specs" };
}
