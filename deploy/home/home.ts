import { chmodSync, renameSync, writeFileSync } from "node:fs";
import { StartError } from "../process/start-error.ts";
import { takePrivate } from "./private-folder.mjs";

/** As `takePrivate`; throws a StartError when the folder can't be one of our own. */
export function makePrivate(folder: string): void {
  const obstacle = takePrivate(folder);
  if (obstacle !== null) throw new StartError(obstacle);
}

/** Writes a file that its owner alone may read, from its first byte on. */
export function writePrivate(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  // One that a killed process left may have been made otherwise.
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}
