import { useState } from "preact/hooks";
import { CopyButton } from "../../components/copy-button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { type Schemas, site } from "../../site/page-data.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { TEXTS } from "../../texts/texts.ts";

type Props = { overlay: Schemas["CreatedOverlay"]; onClose: () => void };

/** The link of an overlay, this one time. Its token is hidden at first: whoever makes it may be on the air. */
export function LinkDialog({ overlay: { kind, token }, onClose }: Props) {
  const { link } = CONSOLE_TEXTS.overlays;
  const [isShown, show] = useState(false);
  const page = `${site.url}/overlay/${kind}`;
  const address = `${page}#${token}`;
  return (
    <Dialog title={link.title} onClose={onClose}>
      <div class="form">
        <p>{link.hint}</p>
        <code class="secret">{isShown ? address : `${page}${link.hidden}`}</code>
        <div class="actions">
          <button
            type="button"
            class="button quiet"
            aria-label={isShown ? link.hideLink : link.showLink}
            onClick={() => show(!isShown)}
          >
            {isShown ? TEXTS.hide : TEXTS.show}
          </button>
          <CopyButton text={address} label={link.copy} />
          <button type="button" class="button" onClick={onClose}>
            {link.done}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
