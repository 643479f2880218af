/**
 * Each realtime worker listens on a Unix socket, beside its TCP port, in one folder that only this service can enter. Connections
 * over such a socket come from an api worker of the same primary, which alone may state a client's address. The api worker
 * authenticates by a token in the folder, since the sockets' names aren't secret: the system shows them to everybody.
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
/** The longest path that fits into `sun_path` with its closing zero where that has 104 bytes (macOS); Linux has 108. */
const MAX_PATH_BYTES = 103;
const PREFIX = "sockets-";

/** Where one worker listens, and the token of those who may state a client's address. */
type LocalSocket = { path: string; token: string };

export const newLocalSocket = (folder: string): LocalSocket => ({
  path: newSocketPath(folder),
  token: tokenOf(folder),
});

const newSocketPath = (folder: string): string =>
  join(folder, `${randomBytes(NAME_BYTES).toString("base64url")}${SUFFIX}`);

export const tokenOf = (folder: string): string => readFileSync(join(folder, TOKEN_FILE), "utf8");

/** Paths of the sockets that workers listen on; the socket of a killed worker may be among them. */
export async function socketPathsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((err: unknown) => {
    // Somebody cleaned up the system's temporary files: treated as if there was no worker.
    if (isMissing(err)) return [];
    throw err;
  });
  return names.filter((name) => name.endsWith(SUFFIX)).map((name) => join(folder, name));
}

/**
 * Makes the socket folder of one primary, which only its owner may enter. It is below `home`, which this primary has claimed
 * (claim.ts), so that leftovers of killed ones are removed. It is in the system's temporary folder for a primary without a home
 * (null), and where a socket path below `home` would be too long for the system.
 */
export function makeSocketFolder(home: string | null): { path: string; remove(): void } {
  const below = home === null ? null : join(home, PREFIX);
  if (home !== null) removeLeftovers(home);
  const fits = below !== null && Buffer.byteLength(newSocketPath(`${below}XXXXXX`)) <= MAX_PATH_BYTES;
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
