import { useRef } from "preact/hooks";
import type { Size } from "../../../components/crop.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { PictureCrop, pictureIn } from "../../../components/picture-crop.tsx";
import { Refused } from "../../../components/refused.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { TEXTS } from "../../../texts/texts.ts";

/** As the service keeps them. */
const SHAPES: Record<"avatar" | "banner", Size> = {
  avatar: { width: 320, height: 320 },
  banner: { width: 1_500, height: 500 },
};

type Props = {
  kind: keyof typeof SHAPES;
  picture: ImageBitmap;
  onSave: (picture: Blob) => Promise<void>;
  onClose: () => void;
};

/** Chooses what of a picture is shown. What is seen is what is saved. */
export function Cropper({ kind, picture, onSave, onClose }: Props) {
  const { settings, cancel } = TEXTS;
  const canvas = useRef<HTMLCanvasElement>(null);
  const { isBusy, refusal, submit } = useSubmit(async () => {
    if (canvas.current) await onSave(await pictureIn(canvas.current));
  });
  return (
    <Dialog title={settings.profile.cropTitle} onClose={onClose}>
      <form class="cropper" onSubmit={(event) => void submit(event)}>
        <PictureCrop picture={picture} shape={SHAPES[kind]} canvas={canvas} />
        <Refused refusal={refusal} />
        <div class="actions">
          <button type="button" class="button quiet" onClick={onClose}>
            {cancel}
          </button>
          <button type="submit" class="button" aria-disabled={isBusy} aria-busy={isBusy}>
            {isBusy ? settings.saving : settings.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
