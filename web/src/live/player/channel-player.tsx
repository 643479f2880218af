import { useEffect, useState } from "preact/hooks";
import { later } from "../../components/later.tsx";
import { TEXTS } from "../../texts/texts.ts";
import { Audience, type Broadcast } from "./audience.ts";
import { Card } from "./card.tsx";
import { acceptsKey } from "./keys.ts";
import type { PlayerProps } from "./player.tsx";
import "./player.css";

type Props = Omit<PlayerProps, "isMuted" | "volume" | "onSound" | "isLossSaid">;

const Player = later(
  async () => (await import("./site-player.tsx")).SitePlayer,
  ({ channelName }: Props) => <Empty channelName={channelName} isLive={null} isGone={false} />,
);

/**
 * A channel's broadcast. What plays it is loaded with the first one: most visits to a channel find it offline, and hls.js is larger than
 * the rest of the page. `wasLive`: when the page was made.
 */
export function ChannelPlayer({ wasLive, ...props }: Props & { wasLive: boolean }) {
  const [hasPlayer, setPlayer] = useState(wasLive);
  return hasPlayer ? <Player {...props} /> : <Offline {...props} onLive={() => setPlayer(true)} />;
}

/** All who wait ask for the player within this time, ms. */
const ASKED_WITHIN_MS = 2_000;

/** Follows the channel until it goes live. */
function Offline({ onLive, ...props }: Props & { onLive: () => void }) {
  const { member, streamId, channelName, onBroadcast, stage } = props;
  const [isGone, setGone] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const audience = new Audience(member, streamId, (changed) => {
      if (changed.isGone !== undefined) setGone(changed.isGone);
      onBroadcast?.(changed);
      if (changed.isLive) timer ??= setTimeout(onLive, Math.random() * ASKED_WITHIN_MS);
    });
    return () => {
      clearTimeout(timer);
      audience.close();
    };
  }, []);
  const onTheatre = stage?.onTheatre;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key === "t" && acceptsKey(event)) onTheatre?.();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [onTheatre]);
  return <Empty channelName={channelName} isLive={false} isGone={isGone} />;
}

type EmptyProps = Pick<Broadcast, "isLive" | "isGone"> & { channelName: string };

/** A player without a picture. That the connection is lost, the page says around it. */
function Empty(known: EmptyProps) {
  const nothing = (): void => undefined;
  return (
    <section class="player" aria-label={TEXTS.player.label(known.channelName)}>
      <Card {...known} isOffline={false} picture="starting" isAutomatic onPlay={nothing} />
    </section>
  );
}
