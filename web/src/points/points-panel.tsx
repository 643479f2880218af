import { X } from "lucide";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { Tabs } from "../components/tabs.tsx";
import { TEXTS } from "../texts/texts.ts";
import type { ChannelPoints } from "./channel-points.ts";
import { Ledger } from "./ledger.tsx";
import { OwnRedemptions } from "./own-redemptions.tsx";
import { Rewards } from "./rewards.tsx";

type Section = "rewards" | "redemptions" | "history";
type Props = { points: ChannelPoints; onClose: () => void };

/** Rewards, own redemptions and the history of the balance, above the composer. Escape closes it. */
export function PointsPanel({ points, onClose }: Props) {
  const [section, choose] = useState<Section>("rewards");
  const whole = useRef<HTMLDivElement>(null);
  const heading = useId();
  useEffect(() => whole.current?.focus(), []);
  const { value: balance } = points.balance.points;
  const texts = TEXTS.points;
  return (
    <div
      ref={whole}
      class="points-panel"
      role="dialog"
      tabIndex={-1}
      aria-labelledby={heading}
      onKeyDown={(event) => {
        // A dialog that stands above it is closed first.
        if (event.key !== "Escape" || (event.target as Element).closest("dialog")) return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header>
        <h2 id={heading}>{texts.title}</h2>
        {balance !== null && <p class="quiet">{texts.points(balance)}</p>}
        <button type="button" class="shut" aria-label={TEXTS.close} onClick={onClose}>
          <Icon of={X} />
        </button>
      </header>
      <Tabs
        label={texts.sections}
        tabs={[
          { id: "rewards", text: texts.rewards },
          { id: "redemptions", text: texts.redemptions },
          { id: "history", text: texts.history },
        ]}
        chosen={section}
        onChoose={choose}
      />
      {/* Each is read anew when it is opened, and after events were missed. */}
      <div
        key={`${section} ${points.gaps.value}`}
        id={`panel-${section}`}
        class="section"
        role="tabpanel"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by the keyboard
        tabIndex={0}
        aria-labelledby={`tab-${section}`}
      >
        {section === "rewards" && <Rewards points={points} />}
        {section === "redemptions" && <OwnRedemptions points={points} />}
        {section === "history" && (
          <Ledger
            channelUserId={points.channel.userId}
            label={TEXTS.points.history}
            change={points.balance.change.value}
          />
        )}
      </div>
    </div>
  );
}
