import { useState } from "preact/hooks";
import { DialogForm } from "../../components/dialog-form.tsx";
import type { Schemas } from "../../site/page-data.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import type { Decisions } from "./use-decisions.ts";

type Props = { items: readonly Schemas["Redemption"][]; decisions: Decisions };

/** Selects all that is shown, and decides what is selected. A refund of several is asked for once more. */
export function QueueActions({ items, decisions }: Props) {
  const texts = CONSOLE_TEXTS.rewards;
  const [isRefunding, setRefunding] = useState(false);
  const { isBusy, select, decide } = decisions;
  const chosen = items.filter(({ id }) => decisions.selected.has(id));
  const ids = chosen.map(({ id }) => id);
  const cost = chosen.reduce((sum, { reward }) => sum + reward.cost, 0);
  const refund = async (): Promise<void> => {
    setRefunding(false);
    await decide(ids, "refund");
  };
  return (
    <div class="actions">
      <label class="check">
        <input
          type="checkbox"
          checked={ids.length === items.length}
          onChange={({ currentTarget }) =>
            select(
              items.map(({ id }) => id),
              currentTarget.checked,
            )
          }
        />
        {texts.all}
      </label>
      {ids.length > 0 && (
        <>
          <button
            type="button"
            class="button"
            aria-disabled={isBusy}
            onClick={() => void decide(ids, "fulfil")}
          >
            {texts.fulfilMany(ids.length)}
          </button>
          <button
            type="button"
            class="button quiet"
            aria-disabled={isBusy}
            onClick={() => setRefunding(true)}
          >
            {texts.refundMany(ids.length)}
          </button>
        </>
      )}
      {isRefunding && (
        <DialogForm
          title={texts.refundTitle(ids.length)}
          submission={{ isBusy, refusal: null, submit: refund }}
          go={texts.refund}
          onClose={() => setRefunding(false)}
        >
          <p>{texts.refundHint(cost)}</p>
        </DialogForm>
      )}
    </div>
  );
}
