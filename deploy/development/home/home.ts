import { chmodSync, renameSync, writeFileSync } from "node:fs";
import { takePrivate } from "../../installation/private-folder.mjs";
import { StartError } from "../../processes/process/start-error.ts";

/** Like `takePrivate`, but throws a StartError when the folder can't be private to this user. */
export function makePrivate(folder: string): void {
  const obstacle = takePrivate(folder);
  if (obstacle !== null) throw new StartError(obstacle);
}

/** Writes a file atomically that only its owner may read, from its first byte on. */
export function writePrivate(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  // A draft that a killed process left may have another mode.
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}
