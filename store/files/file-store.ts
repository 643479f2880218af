/** Storage of uploads: a local folder, or an S3-compatible store. Names are those that `isFileName` accepts; content is immutable. */
export type FileStore = {
  /** Durable once it resolves; idempotent, since the same name always has the same content. Throws `unavailable`. */
  put(name: string, bytes: Buffer): Promise<void>;
  /** Null when there is none. */
  read(name: string): Promise<Buffer | null>;
  /** Idempotent: a missing file counts as removed. */
  remove(name: string): Promise<void>;
  /** Removes temporary files of processes that died during `put`, if they were last written before that time. */
  removeDrafts(before: Date): Promise<void>;
  /** In pages, with the time of each file's last write. */
  list(): AsyncGenerator<{ name: string; writtenAt: Date }[]>;
};

/** Stores accept no other name: no path and no hidden file. */
export const isFileName = (name: string): boolean => /^[0-9a-f]{64}\.webp$/.test(name);

/** Throws for an invalid name, which callers should have rejected. */
export function requireFileName(name: string): string {
  if (!isFileName(name)) throw new Error("That is no name of a file");
  return name;
}
