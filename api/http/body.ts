import type { Request } from "express";
import type { Caller } from "../../actors/accounts/tokens/caller.ts";
import { invalid, ServiceError, unavailable } from "../../contract/errors.ts";
import type { RequestBody } from "../../contract/openapi-document.ts";
import { hasUnpairedSurrogate } from "../../contract/surrogates.ts";

const MAX_BYTES = 64 * 1024;
/** Uploads that a process receives concurrently: each is in memory until it is a picture. */
const MAX_UPLOADS = 16;
/** Of these by one user, so that a slow user doesn't keep others out. */
const MAX_UPLOADS_PER_USER = 2;
const UPLOAD_RETRY_MS = 2_000;
const FORM = "application/x-www-form-urlencoded";

const utf8 = new TextDecoder("utf-8", { fatal: true });

type ReadBody = { raw: Buffer; value: unknown };

/**
 * Reads and decodes the body of an operation that takes one. Throws payload_too_large above 64 KiB, unsupported_media_type,
 * and validation_failed for bytes that aren't UTF-8, text that isn't JSON, and a body that isn't complete after
 * `deadlineMs`. `value` is undefined without a body, and an object without fields for an empty form. `verify` gets the
 * bytes before they are parsed.
 */
export async function readBody(
  req: Request,
  takes: RequestBody,
  deadlineMs: number,
  verify: (raw: Buffer) => void = () => undefined,
): Promise<ReadBody> {
  const raw = await read(req, MAX_BYTES, deadlineMs);
  verify(raw);
  const mediaType = mediaTypeOf(req);
  // A form without fields has no bytes either.
  const isForm = mediaType === FORM && Object.hasOwn(takes.content, FORM);
  if (raw.length === 0 && !isForm) return { raw, value: undefined };
  if (mediaType === null || !Object.hasOwn(takes.content, mediaType)) {
    throw new ServiceError("unsupported_media_type", { accepted: Object.keys(takes.content) });
  }
  const text = decoded(raw);
  return { raw, value: mediaType === FORM ? firstFields(text) : parsed(text) };
}

/** The owners of running uploads, one entry each. */
const uploads: string[] = [];

/**
 * Reads an upload of at most `mostBytes`, without decoding it. Throws payload_too_large, unsupported_media_type,
 * `rate_limited` while too many uploads of that user are running, `unavailable` while too many of all users are, and
 * validation_failed as `readBody` does.
 */
export async function readUpload(
  req: Request,
  takes: RequestBody,
  { caller, mostBytes, deadlineMs }: { caller: Caller; mostBytes: number; deadlineMs: number },
): Promise<Buffer> {
  const mediaType = mediaTypeOf(req);
  if (mediaType === null || !Object.hasOwn(takes.content, mediaType)) {
    throw new ServiceError("unsupported_media_type", { accepted: Object.keys(takes.content) });
  }
  const owner = caller.kind === "user" ? caller.userId : caller.kind;
  const retry = { retry_after_ms: UPLOAD_RETRY_MS };
  if (uploads.filter((one) => one === owner).length >= MAX_UPLOADS_PER_USER)
    throw new ServiceError("rate_limited", { bucket: "uploads_at_once", ...retry });
  if (uploads.length >= MAX_UPLOADS) throw unavailable({ retryAfterMs: UPLOAD_RETRY_MS });
  uploads.push(owner);
  try {
    return await read(req, mostBytes, deadlineMs);
  } finally {
    uploads.splice(uploads.indexOf(owner), 1);
  }
}

/** Express's own reader reads a refused body to its end before it answers, so it would never refuse an endless one. */
function read(req: Request, mostBytes: number, deadlineMs: number): Promise<Buffer> {
  const encoding = req.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") return Promise.reject(new ServiceError("unsupported_media_type"));
  if (Number(req.headers["content-length"] ?? 0) > mostBytes) return Promise.reject(tooLarge(mostBytes));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (act: () => void) => {
      clearTimeout(late);
      req.off("data", take).off("end", end).off("error", incomplete).off("close", incomplete);
      act();
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= mostBytes) return void chunks.push(chunk);
      req.pause();
      settle(() => reject(tooLarge(mostBytes)));
    };
    const end = () => settle(() => resolve(Buffer.concat(chunks)));
    const incomplete = () => settle(() => reject(cutShort("ended before its announced length")));
    const late = setTimeout(() => {
      req.pause();
      settle(() => reject(cutShort(`wasn't there after ${deadlineMs / 1_000} s`)));
    }, deadlineMs);
    req.on("data", take).on("end", end).on("error", incomplete).on("close", incomplete);
  });
}

const cutShort = (message: string) => invalid({ path: "/body", rule: "complete", message });
const tooLarge = (mostBytes: number) => new ServiceError("payload_too_large", { most_bytes: mostBytes });

/** Null when there is none, or its charset isn't UTF-8. */
function mediaTypeOf(req: Request): string | null {
  const [type = "", ...parameters] = (req.headers["content-type"] ?? "").toLowerCase().split(";");
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith("charset="));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  return isUtf8 && type.trim() !== "" ? (REGISTERED.get(type.trim()) ?? type.trim()) : null;
}

/** Names of types that programs send, and that were never registered, by those that were. */
const REGISTERED: ReadonlyMap<string, string> = new Map([
  ["image/jpg", "image/jpeg"],
  ["image/pjpeg", "image/jpeg"],
  ["image/x-png", "image/png"],
  ["text/json", "application/json"],
]);

function decoded(raw: Buffer): string {
  try {
    return utf8.decode(raw);
  } catch {
    throw invalid({ path: "/body", rule: "encoding", message: "must be UTF-8" });
  }
}

function parsed(text: string): unknown {
  if (hasUnpairedSurrogate(text)) {
    throw invalid({ path: "/body", rule: "encoding", message: "must not hold unpaired surrogates" });
  }
  try {
    return JSON.parse(text);
  } catch {
    throw invalid({ path: "/body", rule: "json", message: "must be JSON" });
  }
}

/** Takes the first of each repeated field: later ones may have been appended by someone else. */
function firstFields(text: string): Record<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) if (!fields.has(name)) fields.set(name, value);
  return Object.fromEntries(fields);
}
