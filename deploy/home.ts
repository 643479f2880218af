import { chmodSync, existsSync, mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { StartError } from "./start-error.ts";

const ALL_BUT_OWNER = 0o077;
const STICKY = 0o1000;

/**
 * Makes `folder`, or takes it from all but its owner: keys, passwords and everybody's data lie below it. Throws a
 * StartError when it can't be one of our own, as a folder for all users (/tmp) or of another user can't.
 */
export function makePrivate(folder: string): void {
  makeFolder(folder);
  const { mode, uid } = statSync(folder);
  const self = process.getuid?.() ?? uid;
  // Root comes everywhere: as in a container, to which a folder of its host's user was lent.
  const isForeign = self !== 0 && uid !== self;
  if (isForeign || (mode & STICKY) !== 0 || dirname(folder) === folder) {
    throw new StartError(
      `${folder} isn't a folder of this user alone, and secrets would lie in it. Set LIVECORE_HOME to one that is.`,
    );
  }
  if ((mode & ALL_BUT_OWNER) !== 0) chmodSync(folder, 0o700);
}

/** By hand: Node's own recursion never ends where a parent is there and takes no folder, as below /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (err) {
    if (existsSync(folder)) return;
    const reason = err instanceof Error ? err.message : String(err);
    throw new StartError(`${folder} can't be made (${reason}). Set LIVECORE_HOME to a folder that can.`, {
      cause: err,
    });
  }
}

/** Writes a file that its owner alone may read, from its first byte on. */
export function writePrivate(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  // One that a killed process left may have been made otherwise.
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}
