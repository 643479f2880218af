import { useId, useState } from "preact/hooks";
import { Avatar } from "../../../components/avatar.tsx";
import { Refused } from "../../../components/refused.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { client, type Me, updatedMe } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { Cropper } from "./cropper.tsx";

type PictureKind = "avatar" | "banner";

const TAKEN = "image/png,image/jpeg,image/webp";

/** A picture of the account: choose a file, see what of it is shown, save. */
export function Picture({ kind, user }: { kind: PictureKind; user: Me }) {
  const { settings } = TEXTS;
  const { profile } = settings;
  const id = useId();
  const [chosen, choose] = useState<ImageBitmap | null>(null);
  const url = kind === "avatar" ? user.image_url : user.banner_url;
  const [isUnreadable, setUnreadable] = useState(false);
  const open = async (input: HTMLInputElement): Promise<void> => {
    const file = input.files?.[0];
    if (!file) return;
    setUnreadable(false);
    try {
      choose(await createImageBitmap(file));
    } catch {
      setUnreadable(true);
    }
    // The same file can be chosen again.
    input.value = "";
  };
  const removal = useSubmit(async () => {
    const body = kind === "avatar" ? { image_url: null } : { banner_url: null };
    updatedMe(await client.call("updateMe", { body }));
    say(settings.saved);
  });
  const save = async (picture: Blob): Promise<void> => {
    const operation = kind === "avatar" ? "setAvatar" : "setBanner";
    updatedMe(await client.call(operation, { body: picture }));
    choose(null);
    say(settings.saved);
  };
  return (
    <figure>
      <figcaption>
        <b>{profile[kind]}</b>
      </figcaption>
      {kind === "avatar" && <Avatar user={user} isLarge />}
      {kind === "banner" && (url === null ? <div class="banner" /> : <img class="banner" src={url} alt="" />)}
      <div class="actions">
        <input
          id={id}
          type="file"
          accept={TAKEN}
          onChange={({ currentTarget }) => void open(currentTarget)}
        />
        <label class="button quiet" htmlFor={id}>
          {profile.choose[kind]}
        </label>
        {url !== null && (
          <button
            type="button"
            class="button quiet"
            aria-disabled={removal.isBusy}
            onClick={() => void removal.submit()}
          >
            {profile.removed[kind]}
          </button>
        )}
      </div>
      <p class="hint">{profile.fileHint}</p>
      {isUnreadable && (
        <p class="fault" role="alert">
          {profile.unreadable}
        </p>
      )}
      <Refused refusal={removal.refusal} />
      {chosen && <Cropper kind={kind} picture={chosen} onSave={save} onClose={() => choose(null)} />}
    </figure>
  );
}
