import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";

/** The pages in `web/src`. */
const PAGES = ["chat", "player", "sign-in"] as const;
export type WebPage = (typeof PAGES)[number];

/** `isNamedByContent`: another content has another name, so caches may keep it for ever. */
type WebFile = { type: string; bytes: Buffer; brotli: Buffer | null; isNamedByContent: boolean };
/** The parts of a page: one script, and a style sheet that is inlined into the page. */
type BuiltPage = { script: string; integrity: string; style: string };
export type WebFiles = { pages: Record<WebPage, BuiltPage>; files: ReadonlyMap<string, WebFile> };

const TYPES: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
};
/** The licenses of the packages in a page's script, which names this file. */
const LICENSES = /-licenses\.txt$/;

type Entry = { file: string; isEntry?: boolean; css?: string[] };

/**
 * Reads the pages that `npm run build` made of `web/` into memory: half a megabyte. Throws if they weren't built.
 * @param folder `web/dist`
 */
export function readWebFiles(folder: string): WebFiles {
  const files = new Map<string, WebFile>();
  const pageOf = (name: WebPage): BuiltPage => {
    const from = join(folder, name);
    if (!existsSync(from)) throw new Error(`${from} is missing: npm run build makes it`);
    for (const file of readdirSync(from)) {
      const type = TYPES[extname(file)];
      if (type === undefined) continue;
      const packed = join(from, `${file}.br`);
      const brotli = existsSync(packed) ? readFileSync(packed) : null;
      const isNamedByContent = !LICENSES.test(file);
      files.set(file, { type, bytes: readFileSync(join(from, file)), brotli, isNamedByContent });
    }
    const entry = entryIn(readFileSync(join(from, "manifest.json"), "utf8"));
    const bytes = (file: string) => readFileSync(join(from, file));
    return {
      script: entry.file,
      integrity: `sha384-${createHash("sha384").update(bytes(entry.file)).digest("base64")}`,
      style: (entry.css ?? []).map((file) => bytes(file).toString("utf8")).join("\n"),
    };
  };
  return {
    pages: { chat: pageOf("chat"), player: pageOf("player"), "sign-in": pageOf("sign-in") },
    files,
  };
}

/** Finds the entry in the bundler's manifest. */
function entryIn(manifest: string): Entry {
  const entries: Record<string, Entry> = JSON.parse(manifest);
  const entry = Object.values(entries).find(({ isEntry }) => isEntry);
  if (!entry) throw new Error("the bundler's manifest names no entry");
  return entry;
}
