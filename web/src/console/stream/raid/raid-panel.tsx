import { Users } from "lucide";
import { useState } from "preact/hooks";
import { Avatar, nameOf } from "../../../components/avatar.tsx";
import { Countdown, useTimeLeft } from "../../../components/countdown.tsx";
import { Icon } from "../../../components/icon.tsx";
import { laterDialog } from "../../../components/later.tsx";
import { Refused } from "../../../components/refused.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { COUNTDOWN_MS, type RaidUpdate } from "../../../raids/outgoing-raid.ts";
import { client, type Me } from "../../../site/session.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { Panel } from "../../panel.tsx";
import type { Desk } from "../desk.ts";
import type { OwnStream } from "../own-stream.ts";

const NewRaid = laterDialog(async () => (await import("./new-raid.tsx")).NewRaid);

/** As the service has it: a raid can't leave before. */
const EARLIEST_MS = 10_000;

type Props = { desk: Desk; user: Me; stream: OwnStream; isLive: boolean };

/** The raid that leaves the channel: its countdown, its early start and its end; without one, the way to the next. */
export function RaidPanel({ desk, user, stream, isLive }: Props) {
  const texts = CONSOLE_TEXTS.stream.raid;
  const [isMaking, make] = useState(false);
  const { value: update } = desk.raid.shown;
  return (
    <Panel title={texts.title} kind="of-raid">
      {update?.raid.status === "pending" ? (
        <Pending key={update.raid.id} update={update} />
      ) : (
        <>
          <p class="quiet" role="status" dir="auto">
            {update ? outcomeOf(update) : isLive ? texts.none : texts.offline}
          </p>
          <div class="actions">
            <button type="button" class="button" aria-disabled={!isLive} onClick={() => isLive && make(true)}>
              <Icon of={Users} />
              {texts.make}
            </button>
          </div>
        </>
      )}
      {isMaking && <NewRaid user={user} categoryId={stream.category_id} onClose={() => make(false)} />}
    </Panel>
  );
}

function outcomeOf({ raid, target_user }: RaidUpdate): string {
  const { raids } = TEXTS;
  const target = nameOf(target_user);
  return raid.status === "cancelled"
    ? CONSOLE_TEXTS.stream.raid.cancelled(target)
    : raids.left(target, raid.viewer_count);
}

function Pending({ update }: { update: RaidUpdate }) {
  const texts = CONSOLE_TEXTS.stream.raid;
  const { raid, target_user: target } = update;
  const path = { raid_id: raid.id };
  const createdAt = Date.parse(raid.created_at);
  const early = useTimeLeft(createdAt + EARLIEST_MS);
  const start = useSubmit(async () => {
    if (early === 0) await client.call("startRaid", { path });
  });
  const cancel = useSubmit(async () => {
    await client.call("cancelRaid", { path });
  });
  return (
    <>
      <p class="target">
        <Avatar user={target} />
        <b dir="auto">{nameOf(target)}</b>
      </p>
      {raid.message !== undefined && (
        <p class="quiet" dir="auto">
          {raid.message}
        </p>
      )}
      <p>
        {texts.leavesIn} <Countdown until={createdAt + COUNTDOWN_MS} />
      </p>
      <Refused refusal={start.refusal ?? cancel.refusal} />
      <div class="actions">
        <button
          type="button"
          class="button"
          aria-disabled={early > 0 || start.isBusy}
          onClick={() => void start.submit()}
        >
          {texts.start}
        </button>
        <button
          type="button"
          class="button quiet"
          aria-disabled={cancel.isBusy}
          onClick={() => void cancel.submit()}
        >
          {texts.cancel}
        </button>
      </div>
      {early > 0 && (
        <p class="hint">
          {texts.startIn} <Countdown until={createdAt + EARLIEST_MS} />
        </p>
      )}
    </>
  );
}
