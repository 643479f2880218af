/** Where uploaded files lie: a folder of this machine, or a store that speaks S3. Names are `fileName`'s, their content never changes. */
export type FileStore = {
  /** Durable when it resolves; the same name again is the same file. */
  put(name: string, bytes: Buffer): Promise<void>;
  /** Null when there is none. */
  read(name: string): Promise<Buffer | null>;
  /** One that isn't there is removed. */
  remove(name: string): Promise<void>;
  /** Removes what processes that died while putting a file have left, unless it was written since then. */
  removeDrafts(before: Date): Promise<void>;
  /** In pages, with when each was written. */
  list(): AsyncGenerator<{ name: string; writtenAt: Date }[]>;
};

/** No other name reaches a store: neither a path nor a hidden file. */
export const isFileName = (name: string): boolean => /^[0-9a-f]{64}\.webp$/.test(name);

/** Throws for a name that is none, which no caller should have let through. */
export function requireFileName(name: string): string {
  if (!isFileName(name)) throw new Error("That is no name of a file");
  return name;
}
