import { Check, Trophy } from "lucide";
import { Icon } from "../components/icon.tsx";
import { TEXTS } from "../texts/texts.ts";
import { oddsOf, poolOf, shareOf } from "./odds.ts";
import type { Bet, Prediction } from "./prediction.ts";

type Outcome = Prediction["outcomes"][number];
type Props = {
  prediction: Prediction;
  bet: Bet | null;
  /** The outcome whose form is open; null for none. */
  chosen: string | null;
  /** Null for readers who can't choose. */
  onChoose: ((id: string) => void) | null;
};

/** Of outcomes for which the channel has chosen none, in their order. */
const COLORS = ["#3b82f6", "#ec4899", "#f59e0b", "#10b981", "#8b5cf6", "#ef4444", "#14b8a6", "#eab308"];

/** Each outcome with its share of the points, its odds and how many have bet on it. */
export function Outcomes({ prediction, bet, chosen, onChoose }: Props) {
  const pool = poolOf(prediction);
  return (
    <ul class="outcomes">
      {prediction.outcomes.map((outcome, place) => {
        const facts = (
          <Facts
            outcome={outcome}
            pool={pool}
            isOwn={bet?.outcome_id === outcome.id}
            isWinner={prediction.resolved_outcome_id === outcome.id}
          />
        );
        const color = outcome.color ?? COLORS[place % COLORS.length];
        const style = { "--outcome": color, "--share": `${shareOf(outcome, pool)}%` };
        return (
          <li
            key={outcome.id}
            style={style}
            data-own={bet?.outcome_id === outcome.id}
            data-winner={prediction.resolved_outcome_id === outcome.id}
          >
            {onChoose ? (
              <button
                type="button"
                class="outcome"
                aria-pressed={chosen === outcome.id}
                onClick={() => onChoose(outcome.id)}
              >
                {facts}
              </button>
            ) : (
              <div class="outcome">{facts}</div>
            )}
          </li>
        );
      })}
    </ul>
  );
}

type FactsProps = { outcome: Outcome; pool: number; isOwn: boolean; isWinner: boolean };

function Facts({ outcome, pool, isOwn, isWinner }: FactsProps) {
  const texts = TEXTS.prediction;
  const odds = oddsOf(outcome, pool);
  return (
    <>
      <span class="title">
        <span dir="auto">{outcome.title}</span>
        {isWinner && <Mark icon={Trophy} text={texts.winner} />}
        {isOwn && <Mark icon={Check} text={texts.ownBet} />}
      </span>
      <span class="percent">{texts.share(shareOf(outcome, pool))}</span>
      <span class="share" aria-hidden="true" />
      <span class="facts">
        <span>{texts.pool(outcome.points_pool)}</span>
        <span>{texts.bettors(outcome.bettor_count)}</span>
        {odds !== null && (
          <span>
            <span aria-hidden="true">{texts.odds(odds)}</span>
            <span class="aloud">{texts.oddsOf(odds)}</span>
          </span>
        )}
      </span>
    </>
  );
}

const Mark = ({ icon, text }: { icon: typeof Check; text: string }) => (
  <span class="mark" title={text}>
    <Icon of={icon} />
    <span class="aloud">{text}</span>
  </span>
);
