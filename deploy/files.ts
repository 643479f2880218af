import type { FileStore } from "../store/files/file-store.ts";
import { createFolderStore } from "../store/files/folder.ts";
import type { Config } from "./config/config.ts";

/** The client of S3 takes a worker's start a while to load, so only who has such a store loads it. */
export async function fileStoreOf({ folder, s3 }: Config["files"]): Promise<FileStore> {
  if (s3 === null) return createFolderStore(folder);
  const { createS3Store } = await import("../store/files/s3.ts");
  return createS3Store({ ...s3, secretAccessKey: s3.secretAccessKey.reveal() });
}
