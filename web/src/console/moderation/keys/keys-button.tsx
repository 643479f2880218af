import { Keyboard } from "lucide";
import { useState } from "preact/hooks";
import { Dialog } from "../../../components/dialog.tsx";
import { Icon } from "../../../components/icon.tsx";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { useDeskKeys } from "./desk-keys.ts";
import { useJumpKeys } from "./jump-keys.ts";
import "./keys.css";

/** Shows all keys of the desk, by a press or by `?`. */
export function KeysButton() {
  const texts = CONSOLE_TEXTS.moderation.allKeys;
  const [isOpen, setOpen] = useState(false);
  useJumpKeys();
  useDeskKeys({ "?": () => setOpen(true) });
  return (
    <>
      <button
        type="button"
        class="button quiet keys-of"
        aria-keyshortcuts="?"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Icon of={Keyboard} />
        {texts.open}
      </button>
      {isOpen && (
        <Dialog title={texts.title} kind="all-keys" isLightDismissed onClose={() => setOpen(false)}>
          <h2>{texts.title}</h2>
          {texts.groups.map(({ title, keys }) => (
            <section key={title}>
              <h3>{title}</h3>
              <dl>
                {keys.map(({ press, does }) => (
                  <div key={does}>
                    <dt>
                      {press.map((key) => (
                        <kbd key={key}>{key}</kbd>
                      ))}
                    </dt>
                    <dd>{does}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </Dialog>
      )}
    </>
  );
}
