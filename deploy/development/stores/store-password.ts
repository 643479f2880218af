import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isMissing } from "../../processes/process/process-record.ts";
import { writePrivate } from "../home/home.ts";

/** A form that is valid as a MongoDB key, as a word in Valkey's configuration, and unescaped in a URL. */
const FORM = /^[0-9a-f]{64}$/;

export type StorePassword = { value: string; file: string };

/**
 * The password of the store in `folder`: without one, every user of the machine could read password hashes and make themselves
 * staff. Generated once and stored there, readable only by its owner. A lost or damaged one is replaced, since it doesn't encrypt
 * the data: the store accepts the new one at its next start.
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
