import { useState } from "preact/hooks";
import { DialogForm } from "../../components/dialog-form.tsx";
import { Field } from "../../components/field.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import type { Schemas } from "../../site/page-data.ts";
import { faultOf } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";

const VISIBILITIES = ["public", "unlisted", "private"] as const;
const LONGEST_TITLE = 140;

type Props = {
  video: Schemas["Video"];
  onChange: (changed: Schemas["Video"]) => void;
  onClose: () => void;
};

/** Changes a video's title, who sees it, and whether viewers are warned. */
export function EditVideo({ video, onChange, onClose }: Props) {
  const { form } = CONSOLE_TEXTS.videos;
  const [title, setTitle] = useState(video.title);
  const [visibility, setVisibility] = useState(video.visibility);
  const [isMature, setMature] = useState(video.is_mature ?? false);
  const submission = useSubmit(async () => {
    const body = { title, visibility, is_mature: isMature };
    onChange(await client.call("updateVideo", { path: { video_id: video.id }, body }));
    say(form.saved);
    onClose();
  });
  return (
    <DialogForm title={form.title} submission={submission} go={form.save} onClose={onClose}>
      <Field
        name="title"
        autoComplete="off"
        label={form.name}
        value={title}
        onValue={setTitle}
        fault={faultOf(submission.refusal, "title")}
        maxLength={LONGEST_TITLE}
        required
      />
      <fieldset class="plain">
        <legend>{form.visibility}</legend>
        {VISIBILITIES.map((one) => (
          <label key={one} class="check">
            <input
              type="radio"
              name="visibility"
              value={one}
              checked={visibility === one}
              onChange={() => setVisibility(one)}
            />
            {form.who[one]}
          </label>
        ))}
      </fieldset>
      <label class="check">
        <input
          type="checkbox"
          checked={isMature}
          onChange={({ currentTarget }) => setMature(currentTarget.checked)}
        />
        {form.mature}
      </label>
    </DialogForm>
  );
}
