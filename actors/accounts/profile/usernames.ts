import { DAY_MS } from "../../../base/durations.ts";
import { invalid } from "../../../contract/errors.ts";
import { isReservedName } from "./reserved-names.ts";

/** A name may be changed once in this time; the old one stays reserved for its owner longer. */
export const USERNAME_CHANGE_MS = 60 * DAY_MS;
export const USERNAME_RESERVATION_MS = 180 * DAY_MS;

function refuse(path: string, rule: string, message: string): never {
  throw invalid({ path, rule, message });
}

/** The stored form of a new name; throws `validation_failed` for reserved ones. */
export function usernameFrom(wanted: string): string {
  const username = wanted.toLowerCase();
  if (isReservedName(username)) {
    refuse("/body/username", "reserved", "is a reserved word, or looks like one");
  }
  return username;
}

/** Checks that a title equals the name except for upper and lower case. Throws `validation_failed`. */
export function checkUsernameTitle(title: string, username: string): void {
  if (title.toLowerCase() !== username) {
    refuse("/body/username_title", "casing", "may differ from the username in upper and lower case alone");
  }
}
