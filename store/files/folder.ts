import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { unavailable } from "../../contract/errors.ts";
import { type FileStore, isFileName, requireFileName } from "./file-store.ts";

const PAGE = 500;

/** Matches `draftName`. */
const DRAFT = /^\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const draftName = () => `.${randomUUID()}`;

/** Files in a folder, in 256 subfolders by their first two hex digits. All serving processes must share the folder. */
export function createFolderStore(folder: string): FileStore {
  const folderOf = (name: string) => join(folder, requireFileName(name).slice(0, 2));
  const pathOf = (name: string) => join(folderOf(name), name);

  async function write(name: string, bytes: Uint8Array): Promise<void> {
    await mkdir(folderOf(name), { recursive: true });
    // Written to a draft and renamed: under its name a file is complete or absent, even after a crash.
    const draft = join(folderOf(name), draftName());
    try {
      const file = await open(draft, "wx", 0o640);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, pathOf(name));
      // The rename is durable once the folder is synced; the folder may be new itself.
      for (const changed of [folderOf(name), folder]) await syncFolder(changed);
    } catch (err) {
      await rm(draft, { force: true });
      throw err;
    }
  }

  return {
    async put(name, bytes) {
      requireFileName(name);
      await write(name, bytes).catch((err: unknown) => {
        // Full, or not writable: for an operator to mend, and not the client's fault.
        throw isOfSystem(err) ? unavailable({ cause: err }) : err;
      });
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
    async removeDrafts(before) {
      for (const below of await namesIn(folder)) {
        const drafts = (await namesIn(join(folder, below))).filter((name) => DRAFT.test(name));
        for (const draft of drafts.map((name) => join(folder, below, name)))
          if (((await writtenAt(draft)) ?? before) < before) await rm(draft, { force: true });
      }
    },
    async *list() {
      // Folder by folder, since recursive reads are incomplete in Node 20.
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
      const at = await writtenAt(pathOf(name));
      if (at !== null) found.push({ name, writtenAt: at });
    }
    return found;
  }
}

/** Null if the file is gone. */
async function writtenAt(path: string): Promise<Date | null> {
  try {
    return (await stat(path)).mtime;
  } catch (err) {
    if (isMissing(err)) return null;
    throw err;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, "r");
  try {
    await opened.sync();
  } finally {
    await opened.close();
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

const isOfSystem = (err: unknown): boolean => err instanceof Error && "syscall" in err;
const isFile = (err: unknown): boolean => err instanceof Error && "code" in err && err.code === "ENOTDIR";
const isMissing = (err: unknown): boolean => err instanceof Error && "code" in err && err.code === "ENOENT";
