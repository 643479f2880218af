import { signal } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import { PaymentOutcome } from "../billing/payment-notice.tsx";
import { Preview } from "../live/clips/preview.tsx";
import { RangeSliders } from "../live/clips/range-sliders.tsx";
import { Card } from "../live/player/card.tsx";
import { Controls } from "../live/player/controls.tsx";
import { RecordedPlayer } from "../live/player/recorded-player.tsx";
import type { RaidUpdate } from "../raids/outgoing-raid.ts";
import { RaidBanner } from "../raids/raid-banner.tsx";
import { checkoutOf, HOSTILE, LONG, nothing, raidOf } from "./made-up.ts";
import { Shelf, Specimen } from "./specimen.tsx";
import "../live/clips/cutter.css";
import "../live/player/player.css";

const RETURN = { id: "made-up", url: "#", hasLeft: false };
const CHOICE = { from: 100, to: 190 };
const VIEWERS = signal(1_234);
const STAGE = { isTheatre: false, onTheatre: nothing, onFullscreen: nothing };
const CARDS = {
  "Player that connects": { isLive: null },
  "Player of an offline channel": { isLive: false },
  "Player without network": { isOffline: true, picture: "stalled" },
  "Player that waits for a press": { picture: "waiting" },
  "Player that starts": { picture: "starting" },
  "Player that buffers": { picture: "stalled" },
  "Player that fails": { picture: "failed" },
  "Player in a browser that can't play": { picture: "unsupported" },
} as const;

/** The player, and what stands around it. */
export const WatchingShelf = () => (
  <Shelf title="Watching">
    {Object.entries(CARDS).map(([name, state]) => (
      <Specimen key={name} name={name}>
        <section class="player" aria-label={name}>
          <Card
            {...{ isLive: true, isGone: false, isOffline: false, picture: "playing", ...state }}
            channelName={LONG.slice(0, 60)}
            isAutomatic
            onPlay={nothing}
          />
        </section>
      </Specimen>
    ))}
    <Specimen name="Controls of the player">
      <section class="player" aria-label="Controls">
        <Controls
          isPaused={false}
          isMuted={false}
          volume={0.5}
          viewers={1_234_567}
          isStale={false}
          video={null}
          onToggle={nothing}
          onMute={nothing}
          onVolume={nothing}
          onQuality={nothing}
          onFullscreen={nothing}
          stage={STAGE}
          onClip={nothing}
          onPictureInPicture={nothing}
        />
      </section>
    </Specimen>
    <Specimen name="Player of videos and clips">
      <Recorded />
    </Specimen>
    <Specimen name="Raid that is about to leave">
      <Raid update={raidOf({ message: HOSTILE })} />
    </Specimen>
    <Specimen name="Raid of a reader who stays">
      <Raid update={raidOf({})} isStaying />
    </Specimen>
    <Specimen name="Raid to those who run the channel">
      <Raid update={raidOf({})} isRunning />
    </Specimen>
    <Specimen name="Raid that has left">
      <Raid update={raidOf({ status: "active", viewer_count: 1_234 })} />
    </Specimen>
    <Specimen name="Raid that was cancelled">
      <Raid update={raidOf({ status: "cancelled" })} />
    </Specimen>
    <Specimen name="Payment that is waited for">
      <PaymentOutcome checkout={undefined} from={RETURN} onClose={nothing} />
    </Specimen>
    <Specimen name="Payment of another reader">
      <PaymentOutcome checkout={null} from={RETURN} onClose={nothing} />
    </Specimen>
    {(["paid", "failed", "expired"] as const).map((status) => (
      <Specimen key={status} name={`Payment: ${status}`}>
        <PaymentOutcome checkout={checkoutOf({ status })} from={RETURN} onClose={nothing} />
      </Specimen>
    ))}
    <Specimen name="Payment page that was left">
      <PaymentOutcome
        checkout={checkoutOf({ status: "open" })}
        from={{ ...RETURN, hasLeft: true }}
        onClose={nothing}
      />
    </Specimen>
    <Specimen name="Clip cutter">
      <Cutter isShown />
    </Specimen>
    <Specimen name="Clip cutter without a preview">
      <Cutter isShown={false} />
    </Specimen>
  </Shelf>
);

function Recorded() {
  const video = useRef<HTMLVideoElement>(null);
  return <RecordedPlayer video={video} label={LONG} />;
}

type RaidProps = { update: RaidUpdate; isStaying?: boolean; isRunning?: boolean };

const Raid = ({ update, isStaying = false, isRunning = false }: RaidProps) => (
  <RaidBanner
    raid={{
      shown: signal(update),
      isStaying: signal(isStaying),
      isRunning,
      choose: () => undefined,
      hide: () => undefined,
    }}
    viewers={VIEWERS}
  />
);

function Cutter({ isShown }: { isShown: boolean }) {
  const video = useRef<HTMLVideoElement>(null);
  const [range, setRange] = useState({ from: 130, to: 160 });
  return (
    <div class="cutter">
      <Preview
        video={video}
        footage={isShown ? { zero: 0, shown: CHOICE } : null}
        range={range}
        onSecond={nothing}
      />
      <RangeSliders
        choice={CHOICE}
        range={range}
        at={isShown ? 140 : null}
        onStart={setRange}
        onEnd={setRange}
      />
    </div>
  );
}
