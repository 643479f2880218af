import { Plus, RotateCcw } from "lucide";
import { Icon } from "../../../components/icon.tsx";
import { Refused } from "../../../components/refused.tsx";
import type { Submission } from "../../../components/use-submit.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";

type Props = {
  /** The text of the button that makes a new one. */
  make: string;
  onMake: () => void;
  /** What the last one was about; null where there was none. */
  last: string | null;
  /** Starts the last one again. */
  again: Submission;
};

/** Starts a prediction or a poll: a new one, or the last one again. */
export function StartActions({ make, onMake, last, again }: Props) {
  return (
    <>
      <Refused refusal={again.refusal} />
      <div class="actions">
        <button type="button" class="button" onClick={onMake}>
          <Icon of={Plus} />
          {make}
        </button>
        {last !== null && (
          <button
            type="button"
            class="button quiet"
            aria-disabled={again.isBusy}
            onClick={() => void again.submit()}
          >
            <Icon of={RotateCcw} />
            <bdi>{CONSOLE_TEXTS.stream.questions.again(last)}</bdi>
          </button>
        )}
      </div>
    </>
  );
}
