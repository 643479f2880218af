import { randomBytes } from "node:crypto";
import { chmodSync, linkSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isProduction } from "../../processes/config/config.ts";
import type { Environment } from "../../processes/config/environment.ts";
import { PEER_VARIABLES } from "../../processes/config/peer-secrets.ts";
import { homeFolder } from "../../processes/config/project.ts";
import { isGuessable } from "../../processes/config/schemas.ts";
import { SETTINGS } from "../../processes/config/settings.ts";
import { StartError } from "../../processes/process/start-error.ts";
import { makePrivate, writePrivate } from "./home.ts";

const OLDER = new Map(PEER_VARIABLES);
const MADE_HERE = [...OLDER.keys(), "MASTER_KEY", "EDGE_KEYS"];

/** What is set, outside production with those secrets. */
export function withDevelopmentSecrets(env: Environment): Record<string, string> {
  const given = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  if (isProduction(env)) return given;
  const home = homeFolder(env[SETTINGS.home.name] || SETTINGS.home.fallback || "");
  return { ...given, ...developmentSecrets(home, env) };
}

/**
 * The secrets that `env` lacks, for development: generated once and kept in `home`/secrets.json (only its owner may read it),
 * since the database beside it holds what they sealed. Throws a StartError when the file is damaged.
 */
export function developmentSecrets(home: string, env: Environment): Record<string, string> {
  // A deprecated variable that is given must count as those that it stands in for.
  const missing = MADE_HERE.filter((name) => !env[name] && !env[OLDER.get(name) ?? ""]);
  if (missing.length === 0) return {};

  makePrivate(home);
  const file = join(home, "secrets.json");
  const kept = readKept(file);
  const made = MADE_HERE.filter((name) => kept[name] === undefined);
  for (const name of made) kept[name] = madeSecret(name);
  const held = made.length === 0 ? kept : hold(file, kept);
  return Object.fromEntries(missing.map((name) => [name, held[name] ?? ""]));
}

/** Stores the secrets. When several starts generate some at the same time, all of them use those of the first. */
function hold(file: string, secrets: Record<string, string>): Record<string, string> {
  const draft = `${file}.first.${process.pid}`;
  writePrivate(draft, textOf(secrets));
  try {
    // Creating a hard link fails when the file exists.
    linkSync(draft, file);
    return secrets;
  } catch (err) {
    const first = readKept(file);
    if (Object.keys(first).length === 0) throw err;
    if (MADE_HERE.every((name) => first[name] !== undefined)) return first;
    // An older release generated fewer secrets.
    const all = { ...secrets, ...first };
    writePrivate(file, textOf(all));
    return all;
  } finally {
    rmSync(draft, { force: true });
  }
}

const textOf = (secrets: Record<string, string>): string => `${JSON.stringify(secrets, null, 2)}\n`;

/** Never generates one that the configuration would refuse, since every later start would fail. */
function madeSecret(name: string): string {
  for (;;) {
    const bytes = randomBytes(32);
    // In the form that webhook senders use (`whsec_`).
    const made = name.endsWith("_SECRETS") ? `whsec_${bytes.toString("base64")}` : bytes.toString("hex");
    if (!isGuessable(made)) return made;
  }
}

function readKept(file: string): Record<string, string> {
  let text: string;
  try {
    chmodSync(file, 0o600);
    text = readFileSync(file, "utf8");
  } catch (err) {
    if (err instanceof Error && "code" in err && err.code === "ENOENT") return {};
    throw err;
  }
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null) {
      return Object.fromEntries(Object.entries(parsed).filter((entry) => typeof entry[1] === "string"));
    }
  } catch {
    throw new StartError(damaged(file));
  }
  throw new StartError(damaged(file));
}

const damaged = (file: string): string =>
  `${file} is damaged. Restore it, or delete it together with the data folder beside it: what it sealed can't be opened without it.`;
