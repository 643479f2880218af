import type { Poll } from "../../chat/room-poll.ts";
import { Countdown, useTimeLeft } from "../../components/countdown.tsx";
import { oddsOf, poolOf, shareOf } from "../../points/odds.ts";
import type { Prediction } from "../../points/prediction.ts";
import { overlayTexts } from "../../texts/en/overlay.ts";
import { Bars } from "./bars.tsx";

/** Of outcomes for which the channel has chosen none, in their order. */
const COLORS = ["#3b82f6", "#ec4899", "#f59e0b", "#10b981", "#8b5cf6", "#ef4444", "#14b8a6", "#eab308"];
const colorAt = (place: number): string => COLORS[place % COLORS.length] ?? "#3b82f6";

export function PredictionBars({ prediction }: { prediction: Prediction }) {
  const texts = overlayTexts.prediction;
  const pool = poolOf(prediction);
  const bars = prediction.outcomes.map((outcome, place) => {
    const odds = oddsOf(outcome, pool);
    const percent = shareOf(outcome, pool);
    const facts = [texts.percent(percent), texts.points(outcome.points_pool)];
    return {
      id: outcome.id,
      title: outcome.title,
      percent,
      color: outcome.color ?? colorAt(place),
      isWinner: outcome.id === prediction.resolved_outcome_id,
      facts: [...facts, ...(odds === null ? [] : [texts.odds(odds)])].join(" · "),
    };
  });
  const state = <PredictionState prediction={prediction} />;
  return <Bars label={texts.title} title={prediction.title} state={state} bars={bars} />;
}

function PredictionState({ prediction: { status, locks_at } }: { prediction: Prediction }) {
  const texts = overlayTexts.prediction;
  const until = locks_at === null ? null : Date.parse(locks_at);
  const left = useTimeLeft(status === "active" ? until : null);
  if (status === "active")
    return until !== null && left > 0 ? <Left label={texts.closesIn} until={until} /> : texts.closing;
  if (status === "locked") return <>{texts.locked}</>;
  return <>{status === "cancelled" ? texts.cancelled : texts.won}</>;
}

export function PollBars({ poll }: { poll: Poll }) {
  const texts = overlayTexts.poll;
  const total = poll.total_votes ?? 0;
  const isOver = poll.status === "ended";
  const most = Math.max(...poll.options.map(({ votes = 0 }) => votes));
  const bars = poll.options.map(({ id, text, votes = 0 }, place) => {
    const percent = total === 0 ? 0 : Math.round((100 * votes) / total);
    return {
      id,
      title: text,
      percent,
      color: colorAt(place),
      // Of several with the same votes each has won; without any vote none has.
      isWinner: isOver && votes > 0 && votes === most,
      facts: `${overlayTexts.prediction.percent(percent)} · ${texts.votes(votes)}`,
    };
  });
  const state = isOver ? texts.ended : <Left label={texts.endsIn} until={Date.parse(poll.ends_at)} />;
  return <Bars label={texts.title} title={poll.question} state={state} bars={bars} />;
}

const Left = ({ label, until }: { label: string; until: number }) => (
  <>
    {label} <Countdown until={until} />
  </>
);
