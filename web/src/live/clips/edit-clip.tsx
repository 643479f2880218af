import { useState } from "preact/hooks";
import { DialogForm } from "../../components/dialog-form.tsx";
import { Field } from "../../components/field.tsx";
import { TextArea } from "../../components/text-area.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import type { Schemas } from "../../site/page-data.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { TEXTS } from "../../texts/texts.ts";
import "./edit-clip.css";

const VISIBILITIES = ["public", "unlisted", "private"] as const;

type Props = {
  clip: Schemas["Clip"];
  onChange: (changed: Schemas["Clip"]) => void;
  onClose: () => void;
};

/** Changes a clip's title, description and who sees it. */
export function EditClip({ clip, onChange, onClose }: Props) {
  const { clipCutter } = TEXTS;
  const [title, setTitle] = useState(clip.title);
  const [description, setDescription] = useState(clip.description);
  const [visibility, setVisibility] = useState(clip.visibility);
  const submission = useSubmit(async () => {
    // What stays as it is isn't sent: nobody is refused for it.
    const body = {
      ...(title !== clip.title && { title }),
      ...(description !== clip.description && { description }),
      ...(visibility !== clip.visibility && { visibility }),
    };
    if (Object.keys(body).length > 0) {
      onChange(await client.call("updateClip", { path: { clip_id: clip.id }, body }));
      say(clipCutter.saved);
    }
    onClose();
  });
  return (
    <DialogForm title={clipCutter.editTitle} submission={submission} go={clipCutter.save} onClose={onClose}>
      <Field
        name="title"
        autoComplete="off"
        label={clipCutter.name}
        value={title}
        onValue={setTitle}
        maxLength={100}
        required
      />
      <TextArea
        name="description"
        label={clipCutter.description}
        value={description}
        onValue={setDescription}
        maxLength={500}
      />
      <fieldset class="who-sees">
        <legend>{clipCutter.visibility}</legend>
        {VISIBILITIES.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="visibility"
              value={one}
              checked={visibility === one}
              onChange={() => setVisibility(one)}
            />
            {clipCutter.visibilities[one]}
          </label>
        ))}
      </fieldset>
    </DialogForm>
  );
}
