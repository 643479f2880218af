import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writePrivate } from "../home/home.ts";
import { isMissing } from "../process/process-record.ts";

/** Letters and digits that MongoDB takes as a key, a server's configuration as a word, and an address as it is. */
const FORM = /^[0-9a-f]{64}$/;

export type StorePassword = { value: string; file: string };

/**
 * What lets somebody into the store in `folder`: without it every user of the machine could read hashes and make
 * themselves staff. Made once and kept there for its owner alone. A lost or damaged one is made anew, since the data
 * isn't sealed by it: the store takes on the new one at its next start.
 */
export function storePassword(folder: string): StorePassword {
  const file = join(folder, "password");
  const kept = readKept(file);
  if (FORM.test(kept)) return { value: kept, file };
  const value = randomBytes(32).toString("hex");
  writePrivate(file, value);
  return { value, file };
}

function readKept(file: string): string {
  try {
    chmodSync(file, 0o600);
    return readFileSync(file, "utf8");
  } catch (err) {
    if (isMissing(err)) return "";
    throw err;
  }
}
