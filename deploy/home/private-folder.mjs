// The folders below LIVECORE_HOME are their owner's alone. No dependencies: a Node is fetched into them before anything is
// built, and the service, which takes its folders the same way, has this file beside its modules.
import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

const ALL_BUT_OWNER = 0o077;
const STICKY = 0o1000;

/**
 * Makes `folder`, or takes it from all but its owner: keys, passwords, programs and everybody's data lie below it. Gives
 * back why it can't be one of our own, in a sentence, as a folder for all users (/tmp) or of another user can't; else null.
 */
export function takePrivate(folder) {
  const obstacle = makeFolder(folder);
  if (obstacle !== null) return obstacle;
  const { mode, uid } = statSync(folder);
  const self = process.getuid?.() ?? uid;
  // Root comes everywhere: as in a container, to which a folder of its host's user was lent.
  const isForeign = self !== 0 && uid !== self;
  if (isForeign || (mode & STICKY) !== 0 || dirname(folder) === folder)
    return `${folder} isn't a folder of this user alone, and secrets and programs would lie in it. Set LIVECORE_HOME to one that is.`;
  if ((mode & ALL_BUT_OWNER) !== 0) chmodSync(folder, 0o700);
  return null;
}

/** By hand: Node's own recursion never ends where a parent is there and takes no folder, as below /proc. */
function makeFolder(folder) {
  if (existsSync(folder)) return null;
  const above = dirname(folder) === folder ? null : makeFolder(dirname(folder));
  if (above !== null) return above;
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (err) {
    if (existsSync(folder)) return null;
    return `${folder} can't be made (${err.message}). Set LIVECORE_HOME to a folder that can.`;
  }
  return null;
}
