import { useLocation } from "preact-iso/router";
import { discard, wanted } from "../site/unsaved.ts";
import { TEXTS } from "../texts/texts.ts";
import { DialogForm } from "./dialog-form.tsx";
import { useSubmit } from "./use-submit.ts";

/** Asks before changes that aren't saved are left. */
export function LeaveDialog() {
  const { unsaved } = TEXTS;
  const { route } = useLocation();
  const submission = useSubmit(async () => {
    const href = wanted.value?.href ?? null;
    discard();
    if (href === null) history.back();
    else route(href);
  });
  if (wanted.value === null) return null;
  const stay = (): void => {
    wanted.value = null;
  };
  return (
    <DialogForm
      title={unsaved.title}
      submission={submission}
      go={unsaved.discard}
      stay={unsaved.stay}
      isDanger
      onClose={stay}
    >
      <p>{unsaved.hint}</p>
    </DialogForm>
  );
}
