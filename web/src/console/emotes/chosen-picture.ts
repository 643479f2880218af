import { Problem } from "../../site/problems.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";

/** A file that was chosen: one that is cut in the browser, or an animated one, which is sent as it is. */
export type ChosenPicture = { file: File; still: ImageBitmap | null };

/** docs/interface.md#8-limits */
const MOST_BYTES = 524_288;
/** Within these, a WebP says whether it is animated. */
const HEAD_BYTES = 64;

/** Rejects with a Problem where the file is no picture, or an animated one that is too large. */
export async function choosePicture(file: File): Promise<ChosenPicture> {
  const { form } = CONSOLE_TEXTS.emotes;
  let still: ImageBitmap;
  try {
    still = await createImageBitmap(file);
  } catch {
    throw new Problem(form.unreadable);
  }
  if (!(await isAnimated(file))) return { file, still };
  if (file.size > MOST_BYTES) throw new Problem(form.tooLarge);
  return { file, still: null };
}

async function isAnimated(file: File): Promise<boolean> {
  if (file.type === "image/gif") return true;
  if (file.type !== "image/webp") return false;
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  return String.fromCharCode(...head).includes("ANIM");
}
