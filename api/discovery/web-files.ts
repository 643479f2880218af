import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";

/** The pages that other sites embed, the window in which people sign in to them, and that of overlays: one script each. */
const EMBEDS = ["chat", "player", "sign-in", "overlay"] as const;
export type Embed = (typeof EMBEDS)[number];
/** The site's own pages: scripts that load each other. */
const SITE = "site";
/** The service worker that shows push notifications. */
const PUSH_WORKER = "push-worker";

/** `isNamedByContent`: another content has another name, so caches may keep it for ever. */
type WebFile = { type: string; bytes: Buffer; brotli: Buffer | null; isNamedByContent: boolean };
/** A script and the digest by which a policy can name it. */
export type Script = { file: string; integrity: string };
/** The parts of an embed: one script, and a style sheet that is inlined into the page. */
export type BuiltEmbed = { script: Script; style: string };
export type BuiltSite = {
  entry: Script;
  /** The entry, and what every page loads with it. */
  base: readonly Script[];
  style: string;
  /** What a page loads besides the entry. @param source such as `src/discovery/home.tsx` */
  scriptsOf(source: string): readonly Script[];
};
export type WebFiles = {
  embeds: Record<Embed, BuiltEmbed>;
  site: BuiltSite;
  pushWorker: WebFile;
  files: ReadonlyMap<string, WebFile>;
};

const TYPES: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
};
/** Licenses of the packages in a script, which names this file; and a service worker, which keeps its address. */
const UNHASHED = /-licenses\.txt$|^push-worker\.js$/;

type Chunk = { file: string; isEntry?: boolean; imports?: string[]; css?: string[] };
type Manifest = Record<string, Chunk>;

/**
 * Reads the pages that `npm run build` made of `web/` into memory: about two megabytes. Throws if they weren't built.
 * @param folder `web/dist`
 */
export function readWebFiles(folder: string): WebFiles {
  const files = new Map<string, WebFile>();
  const manifestOf = (name: string): Manifest => {
    const from = join(folder, name);
    if (!existsSync(from)) throw new Error(`${from} is missing: npm run build makes it`);
    for (const file of readdirSync(from)) {
      const type = TYPES[extname(file)];
      if (type === undefined) continue;
      const packed = join(from, `${file}.br`);
      const brotli = existsSync(packed) ? readFileSync(packed) : null;
      files.set(file, {
        type,
        bytes: readFileSync(join(from, file)),
        brotli,
        isNamedByContent: !UNHASHED.test(file),
      });
    }
    return JSON.parse(readFileSync(join(from, "manifest.json"), "utf8"));
  };
  const fileOf = (file: string): WebFile => {
    const found = files.get(file);
    if (!found) throw new Error(`the bundler's manifest names ${file}, which is missing`);
    return found;
  };
  const bytesOf = (file: string): Buffer => fileOf(file).bytes;
  const scriptOf = ({ file }: Chunk): Script => ({
    file,
    integrity: `sha384-${createHash("sha384").update(bytesOf(file)).digest("base64")}`,
  });
  const embedOf = (name: Embed): BuiltEmbed => {
    const entry = entryIn(manifestOf(name));
    const style = (entry.css ?? []).map((file) => bytesOf(file).toString("utf8")).join("\n");
    return { script: scriptOf(entry), style };
  };
  const site = (): BuiltSite => {
    const manifest = manifestOf(SITE);
    const entry = entryIn(manifest);
    const style = Object.values(manifest).find(({ file }) => file.endsWith(".css"))?.file;
    if (style === undefined) throw new Error("the site has no style sheet");
    const base = [entry, ...chunksBelow(manifest, entry)];
    const known = new Set(base);
    const scriptsOf = (source: string): Script[] => {
      const page = manifest[source];
      if (!page) throw new Error(`the site has no ${source}`);
      return [page, ...chunksBelow(manifest, page)].filter((chunk) => !known.has(chunk)).map(scriptOf);
    };
    return { entry: scriptOf(entry), base: base.map(scriptOf), style, scriptsOf };
  };
  return {
    embeds: {
      chat: embedOf("chat"),
      player: embedOf("player"),
      "sign-in": embedOf("sign-in"),
      overlay: embedOf("overlay"),
    },
    site: site(),
    pushWorker: fileOf(entryIn(manifestOf(PUSH_WORKER)).file),
    files,
  };
}

/** Finds the entry in the bundler's manifest. */
function entryIn(manifest: Manifest): Chunk {
  const entry = Object.values(manifest).find(({ isEntry }) => isEntry);
  if (!entry) throw new Error("the bundler's manifest names no entry");
  return entry;
}

/** All that a chunk imports at once, not what it loads later. */
function chunksBelow(manifest: Manifest, { imports = [] }: Chunk): Chunk[] {
  const found = new Set<Chunk>();
  const add = (name: string): void => {
    const chunk = manifest[name];
    if (!chunk || found.has(chunk)) return;
    found.add(chunk);
    for (const next of chunk.imports ?? []) add(next);
  };
  for (const name of imports) add(name);
  return [...found];
}
