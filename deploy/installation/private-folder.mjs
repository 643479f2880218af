// The folders below LIVECORE_HOME are private to their owner. No dependencies: a Node is fetched into them before anything
// is
// built. The service uses this module as well; the build copies it beside the compiled modules.
import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

const ALL_BUT_OWNER = 0o077;
const STICKY = 0o1000;

/**
 * Makes `folder`, or restricts an existing one to its owner: keys, passwords, programs and all users' data are kept below
 * it.
 * Returns null, or a sentence that says why the folder can't be private: it is shared by all users (/tmp) or belongs to
 * another user.
 */
export function takePrivate(folder) {
  const obstacle = makeFolder(folder);
  if (obstacle !== null) return obstacle;
  const { mode, uid } = statSync(folder);
  const self = process.getuid?.() ?? uid;
  // Root may use any folder: for example in a container into which a folder of the host's user is mounted.
  const isForeign = self !== 0 && uid !== self;
  if (isForeign || (mode & STICKY) !== 0 || dirname(folder) === folder)
    return `${folder} isn't a folder of this user alone, and secrets and programs would lie in it. Set LIVECORE_HOME to one that is.`;
  if ((mode & ALL_BUT_OWNER) !== 0) chmodSync(folder, 0o700);
  return null;
}

/**
 * Not `mkdirSync` with `recursive`: Node's recursion never ends where the parent exists but accepts no folders, as below
 * /proc.
 */
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
