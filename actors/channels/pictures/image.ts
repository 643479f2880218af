import type { Metadata, Sharp, SharpOptions } from "sharp";
import { ServiceError } from "../../../contract/errors.ts";
import type { FileKind } from "../../../store/mongo/channels/files.ts";

/** Accepted formats, recognised by their magic bytes; the Content-Type is ignored. */
const FORMATS = [
  { format: "gif", matches: (bytes: Buffer) => /^GIF8[79]a$/.test(bytes.toString("latin1", 0, 6)) },
  { format: "png", matches: (bytes: Buffer) => bytes.subarray(0, 8).equals(PNG) },
  { format: "jpeg", matches: (bytes: Buffer) => bytes.subarray(0, 3).equals(JPEG) },
  {
    format: "webp",
    matches: (bytes: Buffer) =>
      bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP",
  },
] as const;
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);

type Format = (typeof FORMATS)[number]["format"];

type Form = {
  /** Pixels of the result. */
  size: { width: number; height: number };
  /** `contain` leaves what isn't covered transparent. */
  fit: "cover" | "contain";
  accepts: readonly Format[];
  /** With more than one, animations are kept. */
  maxFrames: number;
};

const FORMS: Record<FileKind, Form> = {
  avatar: { size: { width: 320, height: 320 }, fit: "cover", accepts: ["png", "jpeg", "webp"], maxFrames: 1 },
  banner: {
    size: { width: 1_500, height: 500 },
    fit: "cover",
    accepts: ["png", "jpeg", "webp"],
    maxFrames: 1,
  },
  emote: {
    size: { width: 112, height: 112 },
    fit: "contain",
    accepts: ["png", "gif", "webp"],
    maxFrames: 60,
  },
  category: {
    size: { width: 600, height: 800 },
    fit: "cover",
    accepts: ["png", "gif", "webp"],
    maxFrames: 1,
  },
  badge: { size: { width: 72, height: 72 }, fit: "contain", accepts: ["png", "gif", "webp"], maxFrames: 1 },
};

/** As many as current phones produce. */
const MAX_PIXELS = 50_000_000;
/** Decoded size of pictures that must be in memory as a whole; others are decoded a few lines at a time. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** WebP's limit of pixels per side. */
const MAX_SIDE = 16_383;
/** The library's timeout per pass; callers have a deadline of their own (`pictures.ts`). */
const DEADLINE_SECONDS = 10;

const OPTIONS = {
  limitInputPixels: MAX_PIXELS,
  sequentialRead: true,
  failOn: "error",
  // Only the first frame of an animation.
  pages: 1,
  animated: false,
} satisfies SharpOptions;

type Library = (input: Buffer, options: SharpOptions) => Sharp;
let loading: Promise<Library> | null = null;

/** Loaded on demand, since most processes never need it. All decoders but those of the accepted formats are blocked. */
async function library(): Promise<Library> {
  loading ??= import("sharp").then(({ default: sharp }) => {
    sharp.cache(false);
    sharp.concurrency(1);
    sharp.block({ operation: ["VipsForeignLoad"] });
    const loads = ["Png", "Jpeg", "Webp", "Nsgif"].map((format) => `VipsForeignLoad${format}Buffer`);
    sharp.unblock({ operation: loads });
    return sharp;
  });
  return loading;
}

/**
 * Re-encodes an upload: decoded, resized for its kind, and encoded again, so that only the pixels of the original remain.
 * Throws `unsupported_media_type`, and `validation_failed` for a picture that can't be decoded or is too large.
 */
export async function pictureOf(bytes: Buffer, kind: FileKind): Promise<Buffer> {
  const { accepts, size, fit, maxFrames } = FORMS[kind];
  const known = FORMATS.find(({ matches }) => matches(bytes));
  if (!known || !accepts.includes(known.format))
    throw new ServiceError("unsupported_media_type", {
      accepted: accepts.map((format) => `image/${format}`),
    });
  const sharp = await library();
  const header = await readable(() => sharp(bytes, OPTIONS).metadata());
  const frames = maxFrames > 1 ? (header.pages ?? 1) : 1;
  if (frames > maxFrames) throw refused("frames", `has more than ${maxFrames} frames`);
  requireAffordable(header, frames);
  const options = frames > 1 ? { ...OPTIONS, pages: -1, animated: true } : OPTIONS;
  // Applied to the pixels, since the metadata with the orientation is dropped.
  const { orientation = 1 } = frames > 1 ? {} : header;
  const { width, height } = size;
  const cut = orientation < 5 ? { width, height } : { width: height, height: width };
  return readable(async () => {
    const small = sharp(bytes, options)
      .timeout({ seconds: DEADLINE_SECONDS })
      .resize({ ...cut, fit, position: "centre", background: TRANSPARENT })
      .toColourspace("srgb");
    if (orientation === 1) return small.webp(WEBP).toBuffer();
    // Rotated after resizing: rotating a large picture needs all of it in memory, and the library's timeout doesn't cover that.
    const tagged = await small.withMetadata({ orientation }).png({ compressionLevel: 0 }).toBuffer();
    return sharp(tagged, options).autoOrient().webp(WEBP).toBuffer();
  });
}

const WEBP = { quality: 82, effort: 4 };

const TRANSPARENT = { r: 0, g: 0, b: 0, alpha: 0 };

/** Checks the header only, before decoding: a file of some kilobytes may decode to hundreds of megabytes. */
function requireAffordable(
  { format, width, height, channels, depth, isProgressive }: Metadata,
  frames: number,
): void {
  if (width > MAX_SIDE || height > MAX_SIDE || width * height * frames > MAX_PIXELS)
    throw refused("pixels", `has more than ${MAX_PIXELS} pixels, or ${MAX_SIDE} a side`);
  const isOneByte = depth === "uchar";
  // A JPEG with several scans counts as progressive, even if it is sequential.
  const isHeld = isProgressive || !isOneByte || format === "webp" || format === "gif";
  if (isHeld && width * height * frames * channels * (isOneByte ? 1 : 2) > MAX_HELD_BYTES)
    throw refused(
      "pixels",
      `is more than ${MAX_HELD_BYTES} bytes decoded, which one that is progressive, interlaced, animated, WebP or of 16 bits may not be`,
    );
}

/** Any error of the library concerns the bytes, since they are its only input; it becomes `validation_failed`. */
async function readable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (err) {
    const message = err instanceof Error ? err.message : "";
    if (/pixel limit/i.test(message)) throw refused("pixels", `has more than ${MAX_PIXELS} pixels`, err);
    throw refused("image", "can't be decoded as a picture", err);
  }
}

const refused = (rule: string, message: string, cause?: unknown) =>
  new ServiceError("validation_failed", { errors: [{ path: "/body", rule, message }] }, { cause });

export const tooSlow = () => refused("time", "takes too long to decode");
