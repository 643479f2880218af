import { useEffect, useState } from "preact/hooks";
import { formatClock } from "../formats/clock.ts";
import { serverNow } from "../site/service-clock.ts";
import { TEXTS } from "../texts/texts.ts";

const TICK_MS = 1_000;

/** How long a broadcast has been on the air. */
export function OnAir({ since }: { since: number }) {
  const [now, setNow] = useState(serverNow());
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return <span class="on-air">{TEXTS.channel.onAir(formatClock(now - since))}</span>;
}
