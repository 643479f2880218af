import { Gem, Gift } from "lucide";
import { useRef, useState } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { later } from "../components/later.tsx";
import { useOneAtATime } from "../components/one-at-a-time.ts";
import { formatNumber } from "../formats/numbers.ts";
import { problemOf } from "../site/problems.ts";
import { say } from "../site/toasts.ts";
import { TEXTS } from "../texts/texts.ts";
import type { ChannelPoints } from "./channel-points.ts";
import "./points.css";

const PointsPanel = later(async () => (await import("./points-panel.tsx")).PointsPanel);

/** The reader's points below the composer, the bonus to claim, and what opens rewards and history. */
export function PointsBar({ points }: { points: ChannelPoints }) {
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  if (!points.isEarning) return null;
  const texts = TEXTS.points;
  const { value: balance } = points.balance.points;
  return (
    <div class="points-bar">
      {isOpen && (
        <PointsPanel
          points={points}
          onClose={() => {
            setOpen(false);
            opener.current?.focus();
          }}
        />
      )}
      <button
        ref={opener}
        type="button"
        class="balance"
        aria-label={balance === null ? texts.loading : texts.open(balance)}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon of={Gem} />
        {balance === null ? "…" : formatNumber(balance)}
      </button>
      <Gained points={points} />
      <Claim points={points} onClaimed={() => opener.current?.focus()} />
    </div>
  );
}

/** Shows a change for a moment; the balance itself says it to screen readers. */
function Gained({ points }: { points: ChannelPoints }) {
  const { value: change } = points.balance.change;
  if (change === null) return null;
  return (
    <span key={change.no} class="gained" data-loss={change.delta < 0} aria-hidden="true">
      {TEXTS.points.gained(change.delta)}
    </span>
  );
}

/** `onClaimed` gets the focus: the button goes with what it claimed. */
function Claim({ points, onClaimed }: { points: ChannelPoints; onClaimed: () => void }) {
  const { isBusy, run } = useOneAtATime();
  const { value: claimable } = points.balance.claimable;
  if (claimable === 0) return null;
  const claim = async (): Promise<void> => {
    try {
      await points.claim();
      onClaimed();
      say(TEXTS.points.claimed(claimable));
    } catch (err) {
      say(problemOf(err), { isProblem: true });
    }
  };
  return (
    <button type="button" class="claim" aria-disabled={isBusy} onClick={() => void run(claim)}>
      <Icon of={Gift} />
      {TEXTS.points.claim(claimable)}
    </button>
  );
}
