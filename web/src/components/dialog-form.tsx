import type { ComponentChildren } from "preact";
import { TEXTS } from "../texts/texts.ts";
import { Dialog } from "./dialog.tsx";
import { Refused } from "./refused.tsx";
import type { Submission } from "./use-submit.ts";

type Props = {
  title: string;
  submission: Pick<Submission, "isBusy" | "refusal" | "submit">;
  /** The button's text. */
  go: string;
  /** The text of the button that closes it; by default "Cancel". */
  stay?: string;
  /** Whether it takes something away. */
  isDanger?: boolean;
  onClose: () => void;
  /** The fields. */
  children: ComponentChildren;
};

/** A form above the page, with what refused it and the buttons that send and cancel it. */
export function DialogForm({
  title,
  submission,
  go,
  stay = TEXTS.cancel,
  isDanger = false,
  onClose,
  children,
}: Props) {
  const { isBusy, refusal, submit } = submission;
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        {children}
        <Refused refusal={refusal} />
        <div class="actions">
          <button type="button" class="button quiet" onClick={onClose}>
            {stay}
          </button>
          <button type="submit" class={isDanger ? "button danger" : "button"} aria-disabled={isBusy}>
            {go}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
