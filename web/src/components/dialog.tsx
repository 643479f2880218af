import { X } from "lucide";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { TEXTS } from "../texts/texts.ts";
import { Icon } from "./icon.tsx";

type Props = {
  title: string;
  /** A further class, for its looks. */
  kind?: string;
  onClose: () => void;
  children: ComponentChildren;
};

/** What stands above the page until it is closed: by its button, by Escape or by a press beside it. */
export function Dialog({ title, kind = "", onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by the browser itself
    <dialog
      ref={dialog}
      class={`dialog ${kind}`}
      aria-label={title}
      onClose={onClose}
      // The backdrop belongs to the dialog; its content is in the box.
      onClick={({ target }) => target === dialog.current && dialog.current?.close()}
    >
      <div class="box">
        <button type="button" class="shut" aria-label={TEXTS.close} onClick={() => dialog.current?.close()}>
          <Icon of={X} />
        </button>
        {children}
      </div>
    </dialog>
  );
}
