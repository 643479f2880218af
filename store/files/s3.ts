import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { PEER_DEADLINES_MS } from "../../base/peer-deadlines.ts";
import { unavailable } from "../../contract/errors.ts";
import { type FileStore, isFileName, requireFileName } from "./file-store.ts";

type S3Settings = {
  endpoint: string | null;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
};

const PAGE = 500;
const CONTENT_TYPE = "image/webp";

/** Files in a bucket of an S3-compatible store; only the service reads them from there. */
export function createS3Store({ bucket: Bucket, endpoint, region, ...credentials }: S3Settings): FileStore {
  const client = new S3Client({
    region,
    credentials,
    maxAttempts: 2,
    // Stores other than Amazon's are addressed by the endpoint alone, and may not support Amazon's checksums.
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  const options = () => ({ abortSignal: AbortSignal.timeout(PEER_DEADLINES_MS.s3) });

  async function orUnavailable<T>(request: Promise<T>): Promise<T> {
    try {
      return await request;
    } catch (err) {
      if (err instanceof NoSuchKey) throw err;
      throw unavailable({ retryAfterMs: 2_000, cause: err });
    }
  }

  return {
    async put(name, bytes) {
      const Key = requireFileName(name);
      const object = { Bucket, Key, Body: bytes, ContentType: CONTENT_TYPE };
      await orUnavailable(client.send(new PutObjectCommand(object), options()));
    },
    async read(name) {
      try {
        const command = new GetObjectCommand({ Bucket, Key: requireFileName(name) });
        const { Body } = await orUnavailable(client.send(command, options()));
        return Body ? Buffer.from(await orUnavailable(Body.transformToByteArray())) : null;
      } catch (err) {
        if (err instanceof NoSuchKey) return null;
        throw err;
      }
    },
    async remove(name) {
      const command = new DeleteObjectCommand({ Bucket, Key: requireFileName(name) });
      await orUnavailable(client.send(command, options()));
    },
    // Uploads to S3 are atomic, so there are no drafts.
    removeDrafts: () => Promise.resolve(),
    async *list() {
      // The older list operation, which every S3-compatible store supports.
      for (let Marker = ""; ; ) {
        const page = new ListObjectsCommand({ Bucket, MaxKeys: PAGE, Marker });
        const { Contents = [], IsTruncated } = await orUnavailable(client.send(page, options()));
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
