import { later } from "../components/later.tsx";
import type { ChannelPoints } from "./channel-points.ts";
import { isOver } from "./prediction.ts";

const PredictionCard = later(async () => (await import("./prediction-card.tsx")).PredictionCard);

/** The place of the prediction above the chat, whose card is loaded with the first one. */
export function PredictionSlot({ points, hasAccount }: { points: ChannelPoints; hasAccount: boolean }) {
  const { value: prediction } = points.prediction.shown;
  if (prediction === null) return null;
  // A result is shown also where the reader has folded the bets.
  const key = `${prediction.id} ${isOver(prediction)}`;
  return <PredictionCard key={key} points={points} prediction={prediction} hasAccount={hasAccount} />;
}
