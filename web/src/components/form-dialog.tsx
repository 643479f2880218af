import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

type Props = {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
};

/** Stands above the page until it is answered or closed; the browser keeps the focus in it, and gives it back. */
export function FormDialog({ title, onClose, children }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
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
    <dialog
      ref={element}
      class="form-dialog"
      tabIndex={-1}
      aria-labelledby={heading}
      onCancel={(event) => {
        // Whoever shows it takes it away.
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={heading} dir="auto">
        {title}
      </h2>
      {children}
    </dialog>
  );
}
