import sharp from "sharp";

type Image = { body: Buffer; headers: { "content-type": string } };

/** A single-colour image as an upload. */
export async function image(type: "png" | "gif" | "webp" | "jpeg" = "png", side = 64): Promise<Image> {
  const made = sharp({ create: { width: side, height: side, channels: 4, background: "#1f9d55" } });
  return { body: await made.toFormat(type).toBuffer(), headers: { "content-type": `image/${type}` } };
}

/** An animated GIF whose frames differ in colour. */
export async function animated(frames: number, side = 16): Promise<Image> {
  const raw = Buffer.alloc(side * side * frames * 3);
  for (let frame = 0; frame < frames; frame++)
    raw.fill((frame * 97) % 256, frame * side * side * 3, (frame + 1) * side * side * 3);
  const shape = { width: side, height: side * frames, channels: 3 as const, pageHeight: side };
  const body = await sharp(raw, { raw: shape })
    .gif({ delay: Array.from({ length: frames }, () => 50) })
    .toBuffer();
  return { body, headers: { "content-type": "image/gif" } };
}
