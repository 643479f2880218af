import type { FileStore } from "../store/files/file-store.ts";
import { createFolderStore } from "../store/files/folder.ts";
import { createS3Store } from "../store/files/s3.ts";
import type { Config } from "./config/config.ts";

export const fileStoreOf = ({ folder, s3 }: Config["files"]): FileStore =>
  s3 === null
    ? createFolderStore(folder)
    : createS3Store({ ...s3, secretAccessKey: s3.secretAccessKey.reveal() });
