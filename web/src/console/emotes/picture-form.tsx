import { LivecoreError } from "@livecore/client";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { PictureCrop, pictureIn } from "../../components/picture-crop.tsx";
import { Refused } from "../../components/refused.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { AttemptKey } from "../../site/attempt-key.ts";
import { Problem, problemOf } from "../../site/problems.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { type ChosenPicture, choosePicture } from "./chosen-picture.ts";

const TAKEN = "image/png,image/gif,image/webp";
/** As the service keeps them. */
const SIDES = { emote: 112, badge: 72 };
const LONGEST_NAME = 32;
const EMOTE_NAME = /^[A-Za-z0-9_]{2,32}$/;
const TIERS = [0, 1, 2, 3] as const;

type Facts = { name: string; tier: number };
type Props = {
  kind: "emote" | "badge";
  /** Whether an emote may be for some subscribers alone. */
  hasTiers?: boolean;
  /** Rejects with what refused it. */
  send: (picture: Blob, facts: Facts, idempotencyKey: string) => Promise<unknown>;
  onAdded: () => void;
  onClose: () => void;
};

/** A picture for the chat, cut to a square, with its name. */
export function PictureForm({ kind, hasTiers = kind === "emote", send, onAdded, onClose }: Props) {
  const texts = CONSOLE_TEXTS.emotes;
  const { form } = texts;
  const [chosen, setChosen] = useState<ChosenPicture | null>(null);
  const [fileFault, setFileFault] = useState<string | null>(null);
  const [name, setName] = useState("");
  const [tier, setTier] = useState(0);
  const [isChecked, setChecked] = useState(false);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { current: key } = useRef(new AttemptKey());
  const id = useId();
  const nameFault = nameFaultOf(kind, name);
  const { isBusy, refusal, submit } = useSubmit(async () => {
    setChecked(true);
    if (chosen === null) throw new Problem(form.noFile);
    if (nameFault !== null) return;
    const picture = chosen.still && canvas.current ? await pictureIn(canvas.current) : chosen.file;
    const facts = { name: name.trim(), tier };
    const request = { ...facts, file: [chosen.file.name, chosen.file.size, picture.size] };
    await key.once(request, (idempotencyKey) => send(picture, facts, idempotencyKey));
    onAdded();
  });
  const open = async (input: HTMLInputElement): Promise<void> => {
    const file = input.files?.[0];
    if (!file) return;
    setFileFault(null);
    try {
      setChosen(await choosePicture(file));
    } catch (err) {
      setFileFault(problemOf(err));
    }
    // The same file can be chosen again.
    input.value = "";
  };
  const side = SIDES[kind];
  const refused = refusedNameOf(refusal);
  return (
    <Dialog title={kind === "emote" ? texts.addEmote : texts.addBadge} onClose={onClose}>
      <form class="form cropper" noValidate onSubmit={(event) => void submit(event)}>
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
          {fileFault !== null && (
            <p class="fault" role="alert">
              {fileFault}
            </p>
          )}
        </div>
        {chosen?.still && (
          <div class="square">
            <PictureCrop
              key={chosen.file.name + chosen.file.lastModified}
              picture={chosen.still}
              shape={{ width: side, height: side }}
              canvas={canvas}
            />
          </div>
        )}
        {chosen && chosen.still === null && <Animated file={chosen.file} />}
        <Field
          name="name"
          label={form.name[kind]}
          hint={form.nameHint[kind]}
          autoComplete="off"
          maxLength={LONGEST_NAME}
          value={name}
          onValue={setName}
          fault={(isChecked ? nameFault : null) ?? refused}
        />
        {hasTiers && (
          <div class="field">
            <label htmlFor={`${id}-tier`}>{form.tier}</label>
            <select
              id={`${id}-tier`}
              value={tier}
              onChange={({ currentTarget }) => setTier(Number(currentTarget.value))}
            >
              {TIERS.map((one) => (
                <option key={one} value={one}>
                  {one === 0 ? texts.everybody : texts.fromTier(one)}
                </option>
              ))}
            </select>
          </div>
        )}
        {refused === null && <Refused refusal={refusal} />}
        <div class="actions">
          <button type="button" class="button quiet" onClick={onClose}>
            {TEXTS.cancel}
          </button>
          <button type="submit" class="button" aria-disabled={isBusy} aria-busy={isBusy}>
            {isBusy ? form.adding : form.add}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Animated({ file }: { file: File }) {
  const picture = useRef<HTMLImageElement>(null);
  useEffect(() => {
    const url = URL.createObjectURL(file);
    if (picture.current) picture.current.src = url;
    return () => URL.revokeObjectURL(url);
  }, [file]);
  return <img ref={picture} class="animated" alt="" />;
}

function nameFaultOf(kind: Props["kind"], name: string): string | null {
  const { form } = CONSOLE_TEXTS.emotes;
  if (kind === "emote") return EMOTE_NAME.test(name.trim()) ? null : form.badName;
  return name.trim() === "" ? form.noName : null;
}

/** Where the name, or that there is one more, is why it was refused. */
function refusedNameOf(refusal: unknown): string | null {
  const { form } = CONSOLE_TEXTS.emotes;
  if (!(refusal instanceof LivecoreError)) return null;
  if (refusal.code === "emote_name_taken") return form.taken;
  if (refusal.code === "badge_name_reserved") return form.reserved;
  return refusal.code === "limit_reached" ? form.tooMany(Number(refusal.details.limit)) : null;
}
