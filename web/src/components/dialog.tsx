import { X } from "lucide";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { TEXTS } from "../texts/texts.ts";
import { Icon } from "./icon.tsx";

type Props = {
  title: string;
  /** A further class, for its looks. */
  kind?: string;
  /** Also closed by a press beside it and by a button in its corner. Its children show the title in their own way. */
  isLightDismissed?: boolean;
  onClose: () => void;
  children: ComponentChildren;
};

/** Stands above the page until whoever shows it takes it away; the browser keeps the focus in it, and gives it back. */
export function Dialog({ title, kind = "", isLightDismissed = false, onClose, children }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  // With the layout: a passive effect is undone only after a frame, in which the focus would be nowhere.
  useLayoutEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement;
    dialog?.showModal();
    // The browser would take its first button, which may be far below what is to be read first.
    if (!dialog?.querySelector("[autofocus]")) dialog?.focus();
    return () => {
      dialog?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by the browser itself
    <dialog
      ref={element}
      class={`dialog ${isLightDismissed ? "light" : ""} ${kind}`}
      tabIndex={-1}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // The backdrop belongs to the dialog; the content of one that a press beside it closes is in the box.
      onClick={({ target }) => isLightDismissed && target === element.current && onClose()}
    >
      {isLightDismissed ? (
        <div class="box">
          <button type="button" class="shut" aria-label={TEXTS.close} onClick={onClose}>
            <Icon of={X} />
          </button>
          {children}
        </div>
      ) : (
        <>
          <h2 dir="auto">{title}</h2>
          {children}
        </>
      )}
    </dialog>
  );
}
