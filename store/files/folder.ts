import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type FileStore, isFileName, requireFileName } from "./file-store.ts";

const PAGE = 500;

/** Files in a folder, spread over 256 more by their first two digits. All processes that serve them must see the same folder. */
export function createFolderStore(folder: string): FileStore {
  const folderOf = (name: string) => join(folder, requireFileName(name).slice(0, 2));
  const pathOf = (name: string) => join(folderOf(name), name);

  return {
    async put(name, bytes) {
      await mkdir(folderOf(name), { recursive: true });
      // Under its name it is whole or not there, also after a crash.
      const draft = join(folderOf(name), `.${randomUUID()}`);
      try {
        const file = await open(draft, "wx", 0o640);
        try {
          await file.writeFile(bytes);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(draft, pathOf(name));
      } catch (err) {
        await rm(draft, { force: true });
        throw err;
      }
    },
    async read(name) {
      try {
        return await readFile(pathOf(name));
      } catch (err) {
        if (isMissing(err)) return null;
        throw err;
      }
    },
    remove: (name) => rm(pathOf(name), { force: true }),
    async *list() {
      // Folder by folder: what a recursive reading finds is incomplete in Node 20.
      for (const below of await namesIn(folder)) {
        const names = (await namesIn(join(folder, below))).filter(
          (name) => isFileName(name) && name.startsWith(below),
        );
        for (let from = 0; from < names.length; from += PAGE)
          yield await written(names.slice(from, from + PAGE));
      }
    },
  };

  async function written(names: string[]): Promise<{ name: string; writtenAt: Date }[]> {
    const found: { name: string; writtenAt: Date }[] = [];
    for (const name of names) {
      try {
        found.push({ name, writtenAt: (await stat(pathOf(name))).mtime });
      } catch (err) {
        if (!isMissing(err)) throw err;
      }
    }
    return found;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (err) {
    if (isMissing(err) || isFile(err)) return [];
    throw err;
  }
}

const isFile = (err: unknown): boolean => err instanceof Error && "code" in err && err.code === "ENOTDIR";
const isMissing = (err: unknown): boolean => err instanceof Error && "code" in err && err.code === "ENOENT";
