import { useEffect, useRef, useState } from "preact/hooks";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Refused } from "../../components/refused.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { formatClock } from "../../formats/clock.ts";
import { AttemptKey } from "../../site/attempt-key.ts";
import { faultOf } from "../../site/problems.ts";
import { useRead } from "../../site/read.ts";
import { serverNow } from "../../site/service-clock.ts";
import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";
import { CHOICE_S, firstRange, type Part, SHORTEST_S, wholeSeconds } from "./clip-range.ts";
import type { CutSource, Footage } from "./cut-source.ts";
import { liveFootage } from "./live-footage.ts";
import { MadeClip } from "./made-clip.tsx";
import { Preview, play } from "./preview.tsx";
import { RangeSliders } from "./range-sliders.tsx";
import { recordedFootage } from "./recorded-footage.ts";
import "./cutter.css";

const MOST_LETTERS = 100;
/** After the end was moved, so much of it is shown. */
const SHOWN_END_S = 3;
/** Of a recording, so much after the second that was shown is there to choose from. */
const AHEAD_S = 30;

type Props = { source: CutSource; onClose: () => void };

/** Makes a clip of what is live, or of a recording of it: a range with its preview, and a title. */
export function ClipCutter({ source, onClose }: Props) {
  const { clipCutter } = TEXTS;
  const [madeId, setMade] = useState<string | null>(null);
  const read = useRead("getChannel", { path: { username: source.username } });
  return (
    <Dialog title={clipCutter.title} onClose={onClose}>
      <div class="cutter">
        {madeId !== null ? (
          <MadeClip clipId={madeId} onAgain={() => setMade(null)} onClose={onClose} />
        ) : (
          <Loaded read={read}>
            {({ broadcast }) =>
              broadcast ? (
                <Cutting
                  source={source}
                  beganAt={Date.parse(broadcast.started_at)}
                  onMade={setMade}
                  onClose={onClose}
                />
              ) : (
                <p class="note">{clipCutter.noBroadcast}</p>
              )
            }
          </Loaded>
        )}
      </div>
    </Dialog>
  );
}

type CuttingProps = Props & { beganAt: number; onMade: (clipId: string) => void };

function Cutting({ source, beganAt, onMade, onClose }: CuttingProps) {
  const { clipCutter, cancel } = TEXTS;
  const video = useRef<HTMLVideoElement>(null);
  const [footage, setFootage] = useState<Footage | undefined>(undefined);
  const [choice, setChoice] = useState<Part | null>(null);
  const [range, setRange] = useState<Part | null>(null);
  const [second, setSecond] = useState<number | null>(null);
  const [title, setTitle] = useState(source.title.slice(0, MOST_LETTERS));
  const attempt = useRef(new AttemptKey());

  useEffect(() => {
    const element = video.current;
    if (!element) return;
    const { recording, streamId } = source;
    const show = recording ? recordedFootage(recording, beganAt) : liveFootage(streamId, beganAt);
    let isFirst = true;
    return show(element, (found) => {
      setFootage(found);
      if (!isFirst) return;
      isFirst = false;
      const offered = offeredOf(source, beganAt, found);
      const first = firstRange(offered.choice, offered.until);
      setChoice(offered.choice);
      setRange(first);
      if (found) seek(element, first.from - found.zero);
    });
  }, []);

  const showFrom = (from: number): void => {
    if (footage && video.current) seek(video.current, from - footage.zero);
  };
  const isTooShort = choice !== null && choice.to - choice.from < SHORTEST_S;
  const { isBusy, refusal, submit } = useSubmit(async () => {
    if (!range || isTooShort) return;
    const body = { stream_id: source.streamId, title, start_time: range.from, end_time: range.to };
    const { id } = await attempt.current.once(body, (idempotencyKey) =>
      client.call("createClip", { body, idempotencyKey }),
    );
    onMade(id);
  });
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <Preview video={video} footage={footage} range={range} onSecond={setSecond} />
      {isTooShort && <p class="fault">{clipCutter.tooShort}</p>}
      {choice && range && !isTooShort && (
        <div>
          <RangeSliders
            choice={choice}
            range={range}
            at={footage ? second : null}
            onStart={(changed) => {
              setRange(changed);
              showFrom(changed.from);
            }}
            onEnd={(changed) => {
              setRange(changed);
              showFrom(Math.max(changed.from, changed.to - SHOWN_END_S));
            }}
          />
          <p class="length">{rangeText(range)}</p>
          <p class="hint">{clipCutter.rule}</p>
        </div>
      )}
      <Field
        name="title"
        autoComplete="off"
        label={clipCutter.name}
        value={title}
        onValue={setTitle}
        maxLength={MOST_LETTERS}
        required
        fault={faultOf(refusal, "title")}
      />
      <Refused refusal={refusal} fields={["title"]} />
      <div class="actions">
        <button type="button" class="button quiet" onClick={onClose}>
          {cancel}
        </button>
        <button type="submit" class="button" aria-disabled={isBusy || !range || isTooShort}>
          {clipCutter.create}
        </button>
      </div>
    </form>
  );
}

/** What there is to choose from, and up to where something is chosen at first. */
function offeredOf(
  { recording }: CutSource,
  beganAt: number,
  footage: Footage,
): { choice: Part; until: number } {
  if (recording) {
    const zero = (Date.parse(recording.startedAt) - beganAt) / 1_000;
    const until = zero + recording.position;
    const to = Math.min(zero + recording.seconds, until + AHEAD_S);
    return { choice: wholeSeconds({ from: Math.max(zero, to - CHOICE_S), to }), until };
  }
  const to = footage ? footage.shown.to : (serverNow() - beganAt) / 1_000;
  return { choice: wholeSeconds({ from: to - CHOICE_S, to }), until: to };
}

function rangeText({ from, to }: Part): string {
  return TEXTS.clipCutter.range(formatClock(from * 1_000), formatClock(to * 1_000), to - from);
}

function seek(video: HTMLVideoElement, second: number): void {
  video.currentTime = Math.max(0, second);
  void play(video);
}
