import { useId, useRef, useState } from "preact/hooks";
import { Dialog } from "../../components/dialog.tsx";
import { PictureCrop, pictureIn } from "../../components/picture-crop.tsx";
import { Refused } from "../../components/refused.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { type ChosenPicture, choosePicture } from "../../console/emotes/chosen-picture.ts";
import type { Schemas } from "../../site/page-data.ts";
import { Problem } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { TEXTS } from "../../texts/texts.ts";

const TAKEN = "image/png,image/gif,image/webp";
/** As the service keeps it. */
const SHAPE = { width: 600, height: 800 };

type Props = { category: Schemas["Category"]; onSaved: () => void; onClose: () => void };

/** Sets or deletes a category's cover, cut in the browser. */
export function CoverDialog({ category, onSaved, onClose }: Props) {
  const { covers } = STAFF_TEXTS.categories;
  const { form } = CONSOLE_TEXTS.emotes;
  const [chosen, setChosen] = useState<ChosenPicture | null>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const id = useId();
  const path = { category_id: category.id };
  const saving = useSubmit(async () => {
    if (chosen === null) throw new Problem(form.noFile);
    // Of an animated picture, the service takes the first frame.
    const body = chosen.still && canvas.current ? await pictureIn(canvas.current) : chosen.file;
    await client.call("setCategoryCover", { path, body });
    say(covers.saved);
    onSaved();
  });
  const taking = useSubmit(async () => {
    await client.call("deleteCategoryCover", { path });
    say(covers.taken);
    onSaved();
  });
  const [fault, setFault] = useState<unknown>(null);
  const open = async (input: HTMLInputElement): Promise<void> => {
    const file = input.files?.[0];
    if (!file) return;
    setFault(null);
    try {
      setChosen(await choosePicture(file));
    } catch (err) {
      setFault(err);
    }
    // The same file can be chosen again.
    input.value = "";
  };
  const isBusy = saving.isBusy || taking.isBusy;
  return (
    <Dialog title={covers.title(category.name)} onClose={onClose}>
      <form class="form cropper" onSubmit={(event) => void saving.submit(event)}>
        <div class="pictures">
          <input
            id={id}
            type="file"
            accept={TAKEN}
            aria-describedby={`${id}-hint`}
            onChange={({ currentTarget }) => void open(currentTarget)}
          />
          <label class="button quiet" htmlFor={id}>
            {chosen ? form.chooseOther : form.choose}
          </label>
          <p id={`${id}-hint`} class="hint">
            {form.fileHint}
          </p>
        </div>
        {chosen?.still && (
          <div class="square">
            <PictureCrop
              key={chosen.file.name + chosen.file.lastModified}
              picture={chosen.still}
              shape={SHAPE}
              canvas={canvas}
            />
          </div>
        )}
        <Refused refusal={fault ?? saving.refusal ?? taking.refusal} />
        <div class="actions">
          <button type="button" class="button quiet" onClick={onClose}>
            {TEXTS.cancel}
          </button>
          {category.cover_image !== null && (
            <button
              type="button"
              class="button quiet"
              aria-disabled={isBusy}
              onClick={() => void taking.submit()}
            >
              {covers.take}
            </button>
          )}
          <button type="submit" class="button" aria-disabled={isBusy}>
            {covers.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
