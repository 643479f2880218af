import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMissing } from "../../processes/process/process-record.ts";
import type { Fits, Program } from "./programs.ts";

/** The data folder of one store, and which program created it: another version might not be able to read it. */
type DataFolder = {
  /** Path for the server; the folder exists. */
  path: string;
  /** The port of the last start, or null. A replica set has it in its stored configuration. */
  lastPort: number | null;
  fits: Fits;
  /** Records the program and port; call it before the server first writes. */
  stamp(program: Program, port: number): void;
};

export function openDataFolder(folder: string, title: string, variable: string): DataFolder {
  const path = join(folder, "data");
  const file = join(folder, "made-by.json");
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const made = readStamp(file);
  return {
    path,
    lastPort: made?.port ?? null,
    fits(program) {
      if (made === null || line(program) === line(made)) return null;
      return (
        `The data in ${folder} was made by ${made.product} ${made.version}, and this is ${program.product} ` +
        `${program.version}, which may not read it. Put the old version on PATH, set ${variable} to a running ` +
        `${title}, or move the folder away to start empty.`
      );
    },
    stamp: ({ product, version }, port) =>
      writeFileSync(file, `${JSON.stringify({ product, version, port }, null, 2)}\n`, { mode: 0o600 }),
  };
}

/** Patch releases can read each other's files; beyond that nothing is promised. */
const line = ({ product, version }: { product: string; version: string }): string =>
  `${product} ${version.split(".").slice(0, 2).join(".")}`;

function readStamp(file: string): { product: string; version: string; port: number } | null {
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof parsed !== "object" || parsed === null) return null;
    const { product, version, port } = { product: null, version: null, port: null, ...parsed };
    return typeof product === "string" && typeof version === "string" && typeof port === "number"
      ? { product, version, port }
      : null;
  } catch (err) {
    if (isMissing(err) || err instanceof SyntaxError) return null;
    throw err;
  }
}
