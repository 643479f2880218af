import { Pencil, Trash2 } from "lucide";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { CopyButton } from "../../components/copy-button.tsx";
import { DialogForm } from "../../components/dialog-form.tsx";
import { Icon } from "../../components/icon.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { publicAddress, type Schemas, to } from "../../site/page-data.ts";
import { client, me } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { EditClip } from "./edit-clip.tsx";

type Props = { clip: Schemas["Clip"]; onChange: (changed: Schemas["Clip"]) => void };

/** What one does with a clip besides liking it: its maker and the channel's owner change and delete it. */
export function ClipActs({ clip, onChange }: Props) {
  const { clipCutter } = TEXTS;
  const [open, setOpen] = useState<"edit" | "delete" | null>(null);
  const isOwn = me.value && [clip.user_id, clip.streamer.id].includes(me.value.id);
  const close = () => setOpen(null);
  return (
    <>
      <CopyButton label={clipCutter.copyLink} text={publicAddress(`/clips/${clip.id}`)} />
      {isOwn && (
        <>
          <button type="button" class="button quiet" onClick={() => setOpen("edit")}>
            <Icon of={Pencil} />
            {clipCutter.edit}
          </button>
          <button type="button" class="button quiet" onClick={() => setOpen("delete")}>
            <Icon of={Trash2} />
            {clipCutter.remove}
          </button>
        </>
      )}
      {open === "edit" && <EditClip clip={clip} onChange={onChange} onClose={close} />}
      {open === "delete" && <DeleteClip clip={clip} onClose={close} />}
    </>
  );
}

function DeleteClip({ clip, onClose }: { clip: Schemas["Clip"]; onClose: () => void }) {
  const { clipCutter } = TEXTS;
  const { route } = useLocation();
  const submission = useSubmit(async () => {
    await client.call("deleteClip", { path: { clip_id: clip.id } });
    onClose();
    say(clipCutter.removed);
    route(to(clip.streamer.username));
  });
  return (
    <DialogForm
      title={clipCutter.removeTitle}
      submission={submission}
      go={clipCutter.remove}
      isDanger
      onClose={onClose}
    >
      <p>
        <b dir="auto">{clip.title}</b>
      </p>
      <p>{clipCutter.removeWhy}</p>
    </DialogForm>
  );
}
