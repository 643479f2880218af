import { Target, X } from "lucide";
import { useId, useRef, useState } from "preact/hooks";
import { Countdown, useTimeLeft } from "../components/countdown.tsx";
import { CardHead, useFold } from "../components/folding.tsx";
import { Icon } from "../components/icon.tsx";
import { signInAddress } from "../components/sign-in-first.tsx";
import { TEXTS } from "../texts/texts.ts";
import { BetForm } from "./bet-form.tsx";
import type { ChannelPoints } from "./channel-points.ts";
import { Outcomes } from "./outcomes.tsx";
import { type Bet, isOver, ownBet, type Prediction } from "./prediction.ts";
import { ResultText } from "./result-text.tsx";
import "./prediction.css";

type Props = { points: ChannelPoints; prediction: Prediction; hasAccount: boolean };

/** A prediction above the chat: what can be bet on, at which odds, the reader's bet and what came of it. */
export function PredictionCard({ points, prediction, hasAccount }: Props) {
  const card = useRef<HTMLElement>(null);
  const fold = useFold(card);
  const { isFolded } = fold;
  const body = useId();
  const texts = TEXTS.prediction;
  const bet = ownBet(prediction, points.prediction.bet.value);
  const isResult = isOver(prediction);
  return (
    <section class="prediction" ref={card} aria-label={texts.title} data-status={prediction.status}>
      <CardHead
        fold={fold}
        icon={Target}
        label={texts.title}
        title={<h2 dir="auto">{prediction.title}</h2>}
        state={<State prediction={prediction} />}
        texts={texts}
        body={body}
        button={
          isResult && (
            <button
              type="button"
              class="fold"
              aria-label={texts.close}
              onClick={() => points.prediction.dismiss()}
            >
              <Icon of={X} />
            </button>
          )
        }
      />
      <p class="own" role="status">
        <ResultText prediction={prediction} bet={bet} />
      </p>
      <div id={body} hidden={isFolded}>
        {!isFolded && <Body points={points} prediction={prediction} bet={bet} hasAccount={hasAccount} />}
      </div>
    </section>
  );
}

function State({ prediction }: { prediction: Prediction }) {
  const texts = TEXTS.prediction;
  const { status, locks_at, resolved_outcome_id, outcomes } = prediction;
  const until = locks_at === null ? null : Date.parse(locks_at);
  const left = useTimeLeft(status === "active" ? until : null);
  if (status === "active" && until !== null && left > 0) {
    return (
      <>
        {texts.closesIn} <Countdown until={until} />
      </>
    );
  }
  if (status === "active") return <>{texts.closing}</>;
  if (status === "locked") return <>{texts.locked}</>;
  if (status === "cancelled") return <>{texts.cancelled}</>;
  const winner = outcomes.find(({ id }) => id === resolved_outcome_id);
  return <bdi>{texts.resolved(winner?.title ?? "")}</bdi>;
}

type BodyProps = Props & { bet: Bet | null };

function Body({ points, prediction, bet, hasAccount }: BodyProps) {
  const texts = TEXTS.prediction;
  const [chosen, choose] = useState<string | null>(null);
  const isOpen = prediction.status === "active";
  const mayBet = isOpen && points.isEarning;
  const outcomeId = bet?.outcome_id ?? chosen;
  const outcome = prediction.outcomes.find(({ id }) => id === outcomeId);
  return (
    <>
      <Outcomes
        prediction={prediction}
        bet={bet}
        chosen={mayBet && bet === null ? chosen : null}
        onChoose={mayBet && bet === null ? choose : null}
      />
      {mayBet && outcome && (
        <BetForm key={outcome.id} points={points} prediction={prediction} outcome={outcome} bet={bet} />
      )}
      {mayBet && !outcome && <p class="hint">{texts.choose}</p>}
      {isOpen && hasAccount && !points.isEarning && <p class="hint">{texts.ownChannel}</p>}
      {isOpen && !hasAccount && (
        <p class="hint">
          <a href={signInAddress()}>{texts.signIn}</a>
        </p>
      )}
    </>
  );
}
