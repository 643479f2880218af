import { CopyButton } from "../../../components/copy-button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { TEXTS } from "../../../texts/texts.ts";

/** The token itself, this one time. */
export function CreatedToken({ token, onClose }: { token: string; onClose: () => void }) {
  const { tokens } = TEXTS.settings;
  return (
    <Dialog title={tokens.token} onClose={onClose}>
      <div class="form">
        <p>{tokens.created}</p>
        <code class="secret">{token}</code>
        <div class="actions">
          <CopyButton text={token} />
          <button type="button" class="button" onClick={onClose}>
            {tokens.done}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
