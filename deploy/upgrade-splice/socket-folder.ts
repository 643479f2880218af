/**
 * Realtime workers listen on a Unix socket each, beside their TCP port, in one folder that only this service can enter.
 * What comes by such a socket comes from an api worker of the same primary, which alone may say where a client is. It
 * proves to be one by a token that lies in the folder: the sockets' names are no secret, the system shows them to everybody.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMissing } from "../process/process-record.ts";

const SUFFIX = ".sock";
const NAME_BYTES = 12;
const TOKEN_FILE = "token";
const TOKEN_BYTES = 32;
/** `sun_path` of Linux, with its closing zero; other systems allow 104. */
const LONGEST_PATH = 103;
const PREFIX = "sockets-";

/** Where one worker listens, and by what it knows those who may say where a client is. */
export type LocalSocket = { path: string; token: string };

export const newLocalSocket = (folder: string): LocalSocket => ({
  path: newSocketPath(folder),
  token: tokenOf(folder),
});

const newSocketPath = (folder: string): string =>
  join(folder, `${randomBytes(NAME_BYTES).toString("base64url")}${SUFFIX}`);

export const tokenOf = (folder: string): string => readFileSync(join(folder, TOKEN_FILE), "utf8");

/** Paths of the sockets that workers listen on right now; one of a worker that was killed may be among them. */
export async function socketPathsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((err: unknown) => {
    // Somebody cleans up the system's temporary files: as if no worker was there.
    if (isMissing(err)) return [];
    throw err;
  });
  return names.filter((name) => name.endsWith(SUFFIX)).map((name) => join(folder, name));
}

/**
 * Makes the folder of one primary, which only its owner may enter: below `home`, a folder that this primary has for itself
 * (claim.ts), so that what killed ones left there goes; or in the system's folder for temporary files, for a primary that
 * has none (null), and where a socket's path below `home` would be longer than the system takes.
 */
export function makeSocketFolder(home: string | null): { path: string; remove(): void } {
  const below = home === null ? null : join(home, PREFIX);
  if (home !== null) removeLeftovers(home);
  const fits = below !== null && Buffer.byteLength(newSocketPath(`${below}XXXXXX`)) <= LONGEST_PATH;
  // mkdtemp makes it 0700.
  const path = mkdtempSync(fits ? below : join(tmpdir(), "livecore-"));
  writeFileSync(join(path, TOKEN_FILE), randomBytes(TOKEN_BYTES).toString("hex"), { mode: 0o600 });
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

function removeLeftovers(home: string): void {
  for (const name of readdirSync(home)) {
    if (name.startsWith(PREFIX)) rmSync(join(home, name), { recursive: true, force: true });
  }
}
