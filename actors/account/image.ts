import type { Metadata, Sharp, SharpOptions } from "sharp";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { FileKind } from "../../store/mongo/files.ts";

/** What pictures are taken of, by their first bytes; what a Content-Type says of them counts for nothing. */
const FORMATS = [
  { format: "gif", begins: (bytes: Buffer) => /^GIF8[79]a$/.test(bytes.toString("latin1", 0, 6)) },
  { format: "png", begins: (bytes: Buffer) => bytes.subarray(0, 8).equals(PNG) },
  { format: "jpeg", begins: (bytes: Buffer) => bytes.subarray(0, 3).equals(JPEG) },
  {
    format: "webp",
    begins: (bytes: Buffer) =>
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
  takes: readonly Format[];
  /** More than one: an animated one stays so. */
  mostFrames: number;
};

const FORMS: Record<FileKind, Form> = {
  avatar: { size: { width: 320, height: 320 }, fit: "cover", takes: ["png", "jpeg", "webp"], mostFrames: 1 },
  banner: {
    size: { width: 1_500, height: 500 },
    fit: "cover",
    takes: ["png", "jpeg", "webp"],
    mostFrames: 1,
  },
  emote: { size: { width: 112, height: 112 }, fit: "contain", takes: ["png", "gif", "webp"], mostFrames: 60 },
  category: { size: { width: 600, height: 800 }, fit: "cover", takes: ["png", "gif", "webp"], mostFrames: 1 },
  badge: { size: { width: 72, height: 72 }, fit: "contain", takes: ["png", "gif", "webp"], mostFrames: 1 },
};

/** As many as today's telephones make. */
const MOST_PIXELS = 50_000_000;
/** Decoded, of a picture that is in memory whole; of others a few lines are at a time. */
const MOST_HELD_BYTES = 64 * 1024 * 1024;
/** Of webp. */
const MOST_A_SIDE = 16_383;
/** Of the library for one pass; who waits has a deadline of its own (`pictures.ts`). */
const DEADLINE_SECONDS = 10;

const OPTIONS = {
  limitInputPixels: MOST_PIXELS,
  sequentialRead: true,
  failOn: "error",
  // The first picture of an animated one.
  ...{ pages: 1, animated: false },
} satisfies SharpOptions;

type Library = (input: Buffer, options: SharpOptions) => Sharp;
let loading: Promise<Library> | null = null;

/** When it is needed: most processes never do. Only these formats can be read at all, whatever the library knows. */
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
 * Makes a picture of ours: decoded and written anew, brought to its kind's size, without anything of the original but its
 * pixels. Throws `unsupported_media_type`, and `validation_failed` for what can't be decoded or is too large.
 */
export async function pictureOf(bytes: Buffer, kind: FileKind): Promise<Buffer> {
  const { takes, size, fit, mostFrames } = FORMS[kind];
  const known = FORMATS.find(({ begins }) => begins(bytes));
  if (!known || !takes.includes(known.format))
    throw new ServiceError("unsupported_media_type", { accepted: takes.map((format) => `image/${format}`) });
  const sharp = await library();
  const header = await readable(() => sharp(bytes, OPTIONS).metadata());
  const frames = mostFrames > 1 ? (header.pages ?? 1) : 1;
  if (frames > mostFrames) throw refused("frames", `has more than ${mostFrames} frames`);
  requireAffordable(header, frames);
  const options = frames > 1 ? { ...OPTIONS, ...{ pages: -1, animated: true } } : OPTIONS;
  // As its maker held the camera; the note of that is dropped with all others.
  const { orientation = 1 } = frames > 1 ? {} : header;
  const { width, height } = size;
  const cut = orientation < 5 ? { width, height } : { width: height, height: width };
  return readable(async () => {
    const small = sharp(bytes, options)
      .timeout({ seconds: DEADLINE_SECONDS })
      .resize({ ...cut, fit, position: "centre", background: TRANSPARENT })
      .toColourspace("srgb");
    if (orientation === 1) return small.webp(WEBP).toBuffer();
    // Turned when it is small: turning a large one needs all of it at once, for which the library has no deadline.
    const noted = await small.withMetadata({ orientation }).png({ compressionLevel: 0 }).toBuffer();
    return sharp(noted, options).autoOrient().webp(WEBP).toBuffer();
  });
}

const WEBP = { quality: 82, effort: 4 };

const TRANSPARENT = { r: 0, g: 0, b: 0, alpha: 0 };

/** By the header alone, before anything is decoded: a file of some kilobytes may hold hundreds of megabytes. */
function requireAffordable(
  { format, width, height, channels, depth, isProgressive }: Metadata,
  frames: number,
): void {
  if (width > MOST_A_SIDE || height > MOST_A_SIDE || width * height * frames > MOST_PIXELS)
    throw refused("pixels", `has more than ${MOST_PIXELS} pixels, or ${MOST_A_SIDE} a side`);
  const isOneByte = depth === "uchar";
  // A JPEG of several scans counts as progressive, also a sequential one.
  const isHeld = isProgressive || !isOneByte || format === "webp" || format === "gif";
  if (isHeld && width * height * frames * channels * (isOneByte ? 1 : 2) > MOST_HELD_BYTES)
    throw refused(
      "pixels",
      `is more than ${MOST_HELD_BYTES} bytes decoded, which one that is progressive, interlaced, animated, WebP or of 16 bits may not be`,
    );
}

/** Every error of the library is about the bytes: it is given nothing else. */
async function readable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (err) {
    const message = err instanceof Error ? err.message : "";
    if (/pixel limit/i.test(message)) throw refused("pixels", `has more than ${MOST_PIXELS} pixels`, err);
    throw refused("image", "can't be decoded as a picture", err);
  }
}

const refused = (rule: string, message: string, cause?: unknown) =>
  new ServiceError("validation_failed", { errors: [{ path: "/body", rule, message }] }, { cause });

export const tooSlow = () => refused("time", "takes too long to decode");
