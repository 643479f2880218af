import type { FileStore } from "../../../store/files/file-store.ts";
import { createFolderStore } from "../../../store/files/folder.ts";
import type { Config } from "../config/config.ts";

/** Loading the S3 client slows a worker's start, so it is loaded only where S3 is configured. */
export async function fileStoreOf({ folder, s3 }: Config["files"]): Promise<FileStore> {
  if (s3 === null) return createFolderStore(folder);
  const { createS3Store } = await import("../../../store/files/s3.ts");
  return createS3Store({ ...s3, secretAccessKey: s3.secretAccessKey.reveal() });
}
