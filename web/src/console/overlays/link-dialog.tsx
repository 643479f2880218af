import { CopyButton } from "../../components/copy-button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { type Schemas, site } from "../../site/page-data.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";

type Props = { overlay: Schemas["CreatedOverlay"]; onClose: () => void };

/** The link of an overlay, this one time. */
export function LinkDialog({ overlay: { kind, token }, onClose }: Props) {
  const { link } = CONSOLE_TEXTS.overlays;
  const address = `${site.url}/overlay/${kind}#${token}`;
  return (
    <Dialog title={link.title} onClose={onClose}>
      <div class="form">
        <p>{link.hint}</p>
        <code class="secret">{address}</code>
        <div class="actions">
          <CopyButton text={address} label={link.copy} />
          <button type="button" class="button" onClick={onClose}>
            {link.done}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
