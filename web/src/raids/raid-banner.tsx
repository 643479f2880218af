import type { Signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { nameOf } from "../components/avatar.tsx";
import { NoticeBar } from "../components/notice-bar.tsx";
import { useSubmit } from "../components/use-submit.ts";
import { formatLeft } from "../formats/clock.ts";
import { to } from "../site/page-data.ts";
import { problemOf } from "../site/problems.ts";
import { serverNow } from "../site/service-clock.ts";
import { client, me } from "../site/session.ts";
import { say } from "../site/toasts.ts";
import { TEXTS } from "../texts/texts.ts";
import { COUNTDOWN_MS, type OutgoingRaid, type RaidUpdate } from "./outgoing-raid.ts";

const TICK_MS = 250;

type ShownRaid = Pick<OutgoingRaid, "shown" | "isStaying" | "isRunning" | "choose" | "hide">;
type Props = { raid: ShownRaid /** Of the channel. */; viewers: Signal<number> };

/** Where the channel's viewers are about to go, with the choice to stay; then where they went, or that they don't go. */
export function RaidBanner({ raid, viewers }: Props) {
  const update = raid.shown.value;
  const { raids, close } = TEXTS;
  if (!update) return null;
  const target = nameOf(update.target_user);
  if (update.raid.status === "pending")
    return <Pending key={update.raid.id} raid={raid} viewers={viewers} update={update} />;
  const isCancelled = update.raid.status === "cancelled";
  return (
    <NoticeBar label={raids.label}>
      <p role="status" dir="auto">
        {isCancelled ? raids.cancelled(target) : raids.left(target, update.raid.viewer_count)}
      </p>
      {!isCancelled && (
        <a class="button" href={to(update.target_user.username)} dir="auto">
          {raids.watch(target)}
        </a>
      )}
      <button type="button" class="button quiet" onClick={() => raid.hide()}>
        {close}
      </button>
    </NoticeBar>
  );
}

function Pending({ raid, viewers, update }: Props & { update: RaidUpdate }) {
  const { raids } = TEXTS;
  const { source_user: source, target_user: target } = update;
  const isStaying = raid.isStaying.value;
  const { isBusy, submit } = useSubmit(() => choose(raid, update, !isStaying));
  return (
    <NoticeBar label={raids.label}>
      <div class="what">
        <p role="status" dir="auto">
          {raids.pending(nameOf(source), nameOf(target))}
        </p>
        {update.raid.message !== undefined && (
          <p class="quiet" dir="auto">
            {update.raid.message}
          </p>
        )}
        <p>
          <Countdown createdAt={update.raid.created_at} />{" "}
          {viewers.value > 0 && <span>{raids.canCome(viewers.value)} </span>}
          <span role="status">
            {raid.isRunning ? raids.runs : isStaying ? raids.stays : raids.comesAlong}
          </span>
        </p>
      </div>
      {!raid.isRunning && (
        <button
          type="button"
          class={isStaying ? "button" : "button quiet"}
          aria-disabled={isBusy}
          onClick={() => void submit()}
        >
          {isStaying ? raids.come : raids.stay}
        </button>
      )}
    </NoticeBar>
  );
}

/** It counts at once, also where the service doesn't hear of it in time: whoever stays isn't moved by anything but this page. */
async function choose(raid: ShownRaid, { raid: { id } }: RaidUpdate, stays: boolean): Promise<void> {
  raid.choose(stays);
  if (!me.value) return;
  const path = { raid_id: id };
  try {
    const answer = await client.attempt(stays ? "leaveRaid" : "joinRaid", { path });
    if (answer.ok || answer.error.code === "invalid_state") return;
    if (!stays) raid.choose(true);
    say(problemOf(answer.error), { isProblem: true });
  } catch (err) {
    say(problemOf(err), { isProblem: true });
  }
}

function Countdown({ createdAt }: { createdAt: string }) {
  const leftMs = () => Date.parse(createdAt) + COUNTDOWN_MS - serverNow();
  const [left, setLeft] = useState(leftMs);
  useEffect(() => {
    const timer = setInterval(() => setLeft(leftMs()), TICK_MS);
    return () => clearInterval(timer);
  }, [createdAt]);
  const { raids } = TEXTS;
  return (
    <span role="timer" class="countdown">
      {left > 0 ? raids.leavesIn(formatLeft(left)) : raids.leaving}
    </span>
  );
}
