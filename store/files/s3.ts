import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { ServiceError } from "../../specs/contract/errors.ts";
import { type FileStore, isFileName, requireFileName } from "./file-store.ts";

export type S3Settings = {
  endpoint: string | null;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
};

const PAGE = 500;
const CONTENT_TYPE = "image/webp";
/** What requests wait for at most, ms, each of two tries. */
const DEADLINE_MS = 5_000;

/** Files in a bucket of a store that speaks S3; nobody reads them there but the service. */
export function createS3Store({ bucket: Bucket, endpoint, region, ...credentials }: S3Settings): FileStore {
  const client = new S3Client({
    region,
    credentials,
    maxAttempts: 2,
    // Another store than Amazon's is found by its address alone, and needn't know the checksums of Amazon's.
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  const options = () => ({ abortSignal: AbortSignal.timeout(DEADLINE_MS) });

  async function reached<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (err) {
      if (err instanceof NoSuchKey) throw err;
      throw new ServiceError("unavailable", { retry_after_ms: 2_000 }, { cause: err });
    }
  }

  return {
    async put(name, bytes) {
      const Key = requireFileName(name);
      const object = { Bucket, Key, Body: bytes, ContentType: CONTENT_TYPE };
      await reached(client.send(new PutObjectCommand(object), options()));
    },
    async read(name) {
      try {
        const command = new GetObjectCommand({ Bucket, Key: requireFileName(name) });
        const { Body } = await reached(client.send(command, options()));
        return Body ? Buffer.from(await reached(Body.transformToByteArray())) : null;
      } catch (err) {
        if (err instanceof NoSuchKey) return null;
        throw err;
      }
    },
    async remove(name) {
      const command = new DeleteObjectCommand({ Bucket, Key: requireFileName(name) });
      await reached(client.send(command, options()));
    },
    // An object is there whole or not at all.
    removeDrafts: () => Promise.resolve(),
    async *list() {
      // The older of the two ways to list, which whatever speaks S3 has.
      for (let Marker = ""; ; ) {
        const page = new ListObjectsCommand({ Bucket, MaxKeys: PAGE, Marker });
        const { Contents = [], IsTruncated } = await reached(client.send(page, options()));
        yield Contents.flatMap(({ Key, LastModified }) =>
          Key && LastModified && isFileName(Key) ? [{ name: Key, writtenAt: LastModified }] : [],
        );
        const last = Contents.at(-1)?.Key;
        if (!IsTruncated || last === undefined) return;
        Marker = last;
      }
    },
  };
}
