import type { Signal } from "@preact/signals";
import { Circle, CircleCheck, CircleDot } from "lucide";
import { useState } from "preact/hooks";
import { OnAir } from "../../../channels/on-air.tsx";
import { Countdown } from "../../../components/countdown.tsx";
import { Icon } from "../../../components/icon.tsx";
import { later, laterDialog } from "../../../components/later.tsx";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { Panel } from "../../panel.tsx";
import type { OwnStream } from "../own-stream.ts";

const Preview = later(async () => (await import("./preview.tsx")).Preview);
const EndDialog = laterDialog(async () => (await import("./end-dialog.tsx")).EndDialog);

type Props = { stream: OwnStream; viewers: Signal<number>; channelName: string };

/** How far the broadcast has come: the steps to it, then its picture and figures. */
export function BroadcastPanel({ stream, viewers, channelName }: Props) {
  const texts = CONSOLE_TEXTS.stream.broadcast;
  const { status, live_since, ends_at } = stream.ingest;
  const [isEnding, end] = useState(false);
  const isLive = live_since !== null;
  return (
    <Panel
      title={texts.title}
      kind="broadcast"
      aside={
        status !== "offline" && (
          <button type="button" class="button quiet" onClick={() => end(true)}>
            {texts.end}
          </button>
        )
      }
    >
      <div class="state" data-status={status}>
        <p role="status">{texts.states[status]}</p>
        {isLive && (
          <p class="figures">
            <OnAir key={live_since} since={Date.parse(live_since)} />
            <span>{TEXTS.viewers(viewers.value)}</span>
          </p>
        )}
        {ends_at !== null && (
          <p>
            {texts.endsIn} <Countdown until={Date.parse(ends_at)} />
          </p>
        )}
        {status !== "live" && <p class="quiet">{texts.hints[status]}</p>}
      </div>
      {isLive ? (
        <div class="preview">
          <Preview streamId={stream.id} channelName={channelName} />
        </div>
      ) : (
        <Steps stream={stream} />
      )}
      {isEnding && <EndDialog streamId={stream.id} onClose={() => end(false)} />}
    </Panel>
  );
}

const toTitle = (): void => document.querySelector<HTMLElement>(".information [name=name]")?.focus();

/** What is left until viewers see something. */
function Steps({ stream }: { stream: OwnStream }) {
  const { steps } = CONSOLE_TEXTS.stream.broadcast;
  const isConnected = stream.ingest.status !== "offline";
  const all = [
    { text: steps.describe, isDone: stream.category_id !== null, onPress: toTitle },
    { text: steps.connect, isDone: isConnected, onPress: null },
    { text: steps.live, isDone: false, onPress: null },
  ];
  const next = isConnected ? 2 : all.findIndex(({ isDone }) => !isDone);
  return (
    <ol class="steps-to-go">
      {all.map(({ text, isDone, onPress }, place) => (
        <li key={text} data-done={isDone} aria-current={place === next ? "step" : undefined}>
          <Icon of={isDone ? CircleCheck : place === next ? CircleDot : Circle} />
          {onPress ? (
            <button type="button" class="link" onClick={onPress}>
              {text}
            </button>
          ) : (
            <span>{text}</span>
          )}
          {isDone && <span class="aloud">{steps.done}</span>}
        </li>
      ))}
    </ol>
  );
}
