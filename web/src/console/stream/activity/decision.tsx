import { useRef } from "preact/hooks";
import { nameOf } from "../../../components/avatar.tsx";
import { useOneAtATime } from "../../../components/one-at-a-time.ts";
import { AttemptKey } from "../../../site/attempt-key.ts";
import type { Schemas } from "../../../site/page-data.ts";
import { problemOf } from "../../../site/problems.ts";
import { client } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import type { ActivityList } from "./activity.ts";

type Props = { redemption: Schemas["Redemption"]; list: Pick<ActivityList, "redemptionIs" | "first"> };

/** What can be done about a redemption that waits. */
export function Decision({ redemption, list }: Props) {
  const texts = CONSOLE_TEXTS.rewards;
  const { isBusy, run } = useOneAtATime();
  const key = useRef(new AttemptKey());
  const { id: redemption_id, reward, redeemer } = redemption;

  async function decide(
    operation: "fulfilRedemption" | "refundRedemption",
    button: HTMLButtonElement,
  ): Promise<void> {
    const path = { redemption_id };
    const row = button.closest("li");
    try {
      const decided = await key.current.once({ operation, ...path }, (idempotencyKey) =>
        client.call(operation, { path, idempotencyKey }),
      );
      // The buttons go, with the answer or with the room's event, whichever is first; the focus stays in the row.
      const { activeElement } = document;
      if (activeElement === document.body || row?.contains(activeElement)) row?.focus();
      list.redemptionIs(decided);
      say(operation === "fulfilRedemption" ? texts.fulfilled(1) : texts.refunded(1));
    } catch (err) {
      say(problemOf(err), { isProblem: true });
      // Another moderator may have been first.
      list.first.again();
    }
  }
  const press =
    (operation: "fulfilRedemption" | "refundRedemption") =>
    ({ currentTarget }: { currentTarget: HTMLButtonElement }) =>
      void run(() => decide(operation, currentTarget));
  return (
    <div class="actions">
      <button
        type="button"
        class="button"
        aria-disabled={isBusy}
        aria-label={texts.fulfilOf(reward.title, nameOf(redeemer))}
        onClick={press("fulfilRedemption")}
      >
        {texts.fulfil}
      </button>
      <button
        type="button"
        class="button quiet"
        aria-disabled={isBusy}
        aria-label={texts.refundOf(reward.title, nameOf(redeemer))}
        onClick={press("refundRedemption")}
      >
        {texts.refund}
      </button>
    </div>
  );
}
