import { expect } from "chai";
import sharp from "sharp";
import { pictureOf } from "../../../../actors/channels/pictures/image.ts";

const [WIDTH, HEIGHT] = [400, 200];
const HALF = { width: WIDTH / 2, height: HEIGHT / 2, channels: 3 } as const;

/** Four colours, one in each corner, with the note of how the camera was held. */
async function pictureTaken(orientation: number): Promise<Buffer> {
  const corners = ["#e02020", "#20c020", "#2020e0", "#e0e020"].map((background, n) => ({
    input: { create: { ...HALF, background } },
    left: (n % 2) * HALF.width,
    top: Math.floor(n / 2) * HALF.height,
  }));
  return sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: "#000000" } })
    .composite(corners)
    .withMetadata({ orientation })
    .png()
    .toBuffer();
}

/** How much two pictures of one size differ, of 255. */
async function difference(one: Buffer, other: Buffer): Promise<number> {
  const [a, b] = await Promise.all(
    [one, other].map((picture) => sharp(picture).removeAlpha().raw().toBuffer()),
  );
  if (!a || a.length !== b?.length) return 255;
  return a.reduce((sum, value, at) => sum + Math.abs(value - (b[at] ?? 0)), 0) / a.length;
}

describe("A picture that notes how the camera was held", () => {
  for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
    for (const kind of ["avatar", "banner"] as const) {
      it(`is turned as the note ${orientation} says, which isn't kept (${kind})`, async () => {
        const taken = await pictureTaken(orientation);
        const upright = await sharp(taken).autoOrient().png().toBuffer();

        const made = await pictureOf(taken, kind);

        expect(await difference(made, await pictureOf(upright, kind))).below(3);
        const { exif, icc, orientation: noted } = await sharp(made).metadata();
        expect([exif, icc, noted]).deep.equal([undefined, undefined, undefined]);
      });
    }
  }
});
