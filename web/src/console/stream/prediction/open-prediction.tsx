import { useState } from "preact/hooks";
import { Countdown, useTimeLeft } from "../../../components/countdown.tsx";
import { laterDialog } from "../../../components/later.tsx";
import { Refused } from "../../../components/refused.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { poolOf } from "../../../points/odds.ts";
import { Outcomes } from "../../../points/outcomes.tsx";
import type { Prediction } from "../../../points/prediction.ts";
import { client } from "../../../site/session.ts";
import { TEXTS } from "../../../texts/texts.ts";
import "../../../points/prediction.css";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";

const ResolveDialog = laterDialog(async () => (await import("./resolve-dialog.tsx")).ResolveDialog);
const CancelDialog = laterDialog(async () => (await import("./cancel-dialog.tsx")).CancelDialog);

type Props = {
  prediction: Prediction;
  /** An act of this page has changed it. */
  onKnown: (prediction: Prediction) => void;
};

/** A prediction that isn't decided: its pools as they grow, until when one can bet, and what its owner may do with it. */
export function OpenPrediction({ prediction, onKnown }: Props) {
  const texts = CONSOLE_TEXTS.stream.prediction;
  const [dialog, show] = useState<"resolve" | "cancel" | null>(null);
  const close = (): void => show(null);
  const lock = useSubmit(async () => {
    onKnown(await client.call("lockPrediction", { path: { prediction_id: prediction.id } }));
  });
  return (
    <>
      <Bets prediction={prediction} />
      <Refused refusal={lock.refusal} />
      <div class="actions">
        {prediction.status === "active" && (
          <button type="button" class="button" aria-disabled={lock.isBusy} onClick={() => void lock.submit()}>
            {texts.lock}
          </button>
        )}
        <button
          type="button"
          class={prediction.status === "active" ? "button quiet" : "button"}
          onClick={() => show("resolve")}
        >
          {texts.resolve}
        </button>
        <button type="button" class="button quiet" onClick={() => show("cancel")}>
          {texts.cancel}
        </button>
      </div>
      {dialog === "resolve" && <ResolveDialog prediction={prediction} onKnown={onKnown} onClose={close} />}
      {dialog === "cancel" && <CancelDialog prediction={prediction} onKnown={onKnown} onClose={close} />}
    </>
  );
}

function Bets({ prediction }: { prediction: Prediction }) {
  const { prediction: words } = TEXTS;
  const { status, locks_at, outcomes } = prediction;
  const until = locks_at === null || status !== "active" ? null : Date.parse(locks_at);
  const left = useTimeLeft(until);
  const bettors = outcomes.reduce((sum, { bettor_count }) => sum + bettor_count, 0);
  return (
    <div class="prediction" data-status={status}>
      <h3 dir="auto">{prediction.title}</h3>
      <p class="quiet">
        <span role="status">{status === "locked" ? words.locked : left === 0 ? words.closing : ""}</span>
        {until !== null && left > 0 && (
          <>
            {words.closesIn} <Countdown until={until} />
          </>
        )}
        {" · "}
        {CONSOLE_TEXTS.stream.prediction.staked(poolOf(prediction), bettors)}
      </p>
      <Outcomes prediction={prediction} bet={null} chosen={null} onChoose={null} />
    </div>
  );
}

/** What has become of the last one. */
export function Result({ prediction }: { prediction: Prediction }) {
  const texts = CONSOLE_TEXTS.stream.prediction;
  const winner = prediction.outcomes.find(({ id }) => id === prediction.resolved_outcome_id);
  const pool = poolOf(prediction);
  return (
    <div class="prediction" data-status={prediction.status}>
      <h3 dir="auto">{prediction.title}</h3>
      <p role="status" dir="auto">
        {winner
          ? `${TEXTS.prediction.resolved(winner.title)}. ${texts.paysOut(pool, winner.points_pool, winner.bettor_count)}`
          : `${TEXTS.prediction.cancelled}. ${texts.paysBack(pool)}`}
      </p>
    </div>
  );
}
