import { Gem } from "lucide";
import { Countdown, useTimeLeft } from "../components/countdown.tsx";
import { Icon } from "../components/icon.tsx";
import { hueOf } from "../formats/hue.ts";
import { formatCount } from "../formats/numbers.ts";
import { TEXTS } from "../texts/texts.ts";
import { type Bar, type Known, type Reward, redeemBarOf } from "./offer.ts";

type Props = {
  reward: Reward;
  known: Known;
  /** Null while it isn't known. */
  balance: number | null;
  onChoose: () => void;
};

/** A reward in the grid: its colour and first letter, its price, and what keeps the reader from it. It opens in any case. */
export function RewardTile({ reward, known, balance, onChoose }: Props) {
  const bar = useBar(reward, known, balance);
  return (
    <li>
      <button type="button" class="reward" data-barred={bar !== null} onClick={onChoose}>
        <span class="picture" style={{ "--hue": hueOf(reward.title) }} aria-hidden="true">
          {[...reward.title.trim()][0]?.toUpperCase()}
        </span>
        <span class="title" dir="auto">
          {reward.title}
        </span>
        <span class="cost">
          <Icon of={Gem} />
          <span aria-hidden="true">{formatCount(reward.cost)}</span>
          <span class="aloud">{TEXTS.points.costs(reward.cost)}</span>
        </span>
        {bar && (
          <span class="bar">
            <BarText bar={bar} />
          </span>
        )}
      </button>
    </li>
  );
}

/** What keeps the reader from a reward, which ends by itself with its cooldown. */
export function useBar(reward: Reward, known: Known, balance: number | null): Bar | null {
  const bar = redeemBarOf(reward, known, balance);
  useTimeLeft(bar?.why === "cooldown" ? bar.until : null);
  return bar;
}

export function BarText({ bar }: { bar: Bar }) {
  const texts = TEXTS.points;
  switch (bar.why) {
    case "cooldown":
      return (
        <>
          {texts.readyIn} <Countdown until={bar.until} />
        </>
      );
    case "points":
      return <>{texts.missing(bar.missing)}</>;
    default:
      return <>{texts[bar.why]}</>;
  }
}
