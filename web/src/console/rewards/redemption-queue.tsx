import { useState } from "preact/hooks";
import { Loaded } from "../../components/loaded.tsx";
import { useNewestFirst } from "../../site/newest-first.ts";
import type { Schemas } from "../../site/page-data.ts";
import { More } from "../../site/paged.tsx";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { Panel } from "../panel.tsx";
import { useReadSoon } from "../read-soon.ts";
import { useRoomTopic } from "../room-topic.ts";
import { followRedemptions } from "./follow-redemptions.ts";
import { QueueActions } from "./queue-actions.tsx";
import { RedemptionRow } from "./redemption-row.tsx";
import { useDecisions } from "./use-decisions.ts";

type Status = Schemas["RedemptionStatus"];
const STATES: readonly Status[] = ["pending", "fulfilled", "refunded"];

type Props = {
  channelUserId: string;
  streamId: string;
  /** To choose one from. */
  rewards: readonly Pick<Schemas["ChannelReward"], "id" | "title">[];
};

/** What viewers have redeemed; what waits is fulfilled or refunded, one by one or many at once. */
export function RedemptionQueue({ channelUserId, streamId, rewards }: Props) {
  const texts = CONSOLE_TEXTS.rewards;
  const [status, setStatus] = useState<Status>("pending");
  const [reward, setReward] = useState("");
  return (
    <Panel
      title={texts.queue}
      kind="queue"
      aside={
        <>
          <select
            aria-label={texts.status}
            value={status}
            onChange={({ currentTarget }) =>
              setStatus(STATES.find((one) => one === currentTarget.value) ?? "pending")
            }
          >
            {STATES.map((one) => (
              <option key={one} value={one}>
                {texts.states[one]}
              </option>
            ))}
          </select>
          <select
            aria-label={texts.reward}
            value={reward}
            onChange={({ currentTarget }) => setReward(currentTarget.value)}
          >
            <option value="">{texts.allRewards}</option>
            {rewards.map((one) => (
              <option key={one.id} value={one.id} dir="auto">
                {one.title}
              </option>
            ))}
          </select>
        </>
      }
    >
      <Queue
        key={`${status} ${reward}`}
        channelUserId={channelUserId}
        streamId={streamId}
        status={status}
        rewardId={reward === "" ? null : reward}
      />
    </Panel>
  );
}

type QueueProps = Pick<Props, "channelUserId" | "streamId"> & {
  status: Status;
  /** Null: of all rewards. */
  rewardId: string | null;
};

function Queue({ channelUserId, streamId, status, rewardId }: QueueProps) {
  const texts = CONSOLE_TEXTS.rewards;
  const query = { channel_user_id: channelUserId, status, ...(rewardId !== null && { reward_id: rewardId }) };
  const { first, items, change, ...pages } = useNewestFirst("listRedemptions", { query }, (one) => one.id);
  const decisions = useDecisions((ids) => change((before) => before.filter((one) => !ids.has(one.id))));
  const readSoon = useReadSoon(first.again);
  useRoomTopic(streamId, (room) =>
    followRedemptions(room, {
      isListed: (one) => one.status === status && (rewardId === null || one.reward.id === rewardId),
      change,
      readAgain: first.again,
      readSoon,
    }),
  );
  return (
    <Loaded read={first}>
      {() => (
        <>
          {status === "pending" && items.length > 0 && <QueueActions items={items} decisions={decisions} />}
          {items.length === 0 ? (
            <p class="quiet">{texts.noneIn[status]}</p>
          ) : (
            <ul class="rows">
              {items.map((one) => (
                <RedemptionRow
                  key={one.id}
                  redemption={one}
                  decisions={status === "pending" ? decisions : null}
                />
              ))}
            </ul>
          )}
          <More pages={{ first, ...pages }} />
        </>
      )}
    </Loaded>
  );
}
