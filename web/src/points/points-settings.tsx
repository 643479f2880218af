import { useEffect, useState } from "preact/hooks";
import { Avatar, nameOf } from "../components/avatar.tsx";
import { ChannelLink } from "../components/channel-link.tsx";
import { Loaded } from "../components/loaded.tsx";
import { SettingsPage } from "../components/settings-page.tsx";
import type { Schemas } from "../site/page-data.ts";
import { More, usePagedBy } from "../site/paged.tsx";
import { followUser, whenMissed } from "../site/user-topic.ts";
import { TEXTS } from "../texts/texts.ts";
import { Ledger } from "./ledger.tsx";

type Balance = Schemas["PointsBalance"];

/** The reader's points at each channel. */
export const PointsSettings = () => <SettingsPage section="points">{() => <Balances />}</SettingsPage>;

function Balances() {
  const { ledger } = TEXTS;
  const { items, ...pages } = usePagedBy("listMyPoints", {}, (one) => one.channel_user_id);
  const changed = useChanges(pages.first.again);
  return (
    <section class="box">
      <p>{ledger.hint}</p>
      <Loaded read={pages.first}>
        {() =>
          items.length === 0 ? (
            <p class="quiet">{ledger.none}</p>
          ) : (
            <ul class="rows">
              {items.map((one) => (
                <Row key={one.channel_user_id} known={{ ...one, ...changed.get(one.channel_user_id) }} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <More pages={pages} />
    </section>
  );
}

function Row({ known }: { known: Balance }) {
  const { ledger } = TEXTS;
  const [isOpen, setOpen] = useState(false);
  const { channel, channel_user_id, balance, claimable } = known;
  const name = channel ? nameOf(channel) : ledger.goneChannel;
  return (
    <li>
      {channel && <Avatar user={channel} />}
      <div class="what">
        <ChannelLink channel={channel} gone={ledger.goneChannel} />
        <span>{ledger.points(balance)}</span>
        {claimable > 0 && <span class="quiet">{ledger.bonus(claimable)}</span>}
      </div>
      {channel && (
        <button
          type="button"
          class="button quiet"
          aria-expanded={isOpen}
          aria-label={isOpen ? ledger.hideOf(name) : ledger.showOf(name)}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? ledger.hide : ledger.show}
        </button>
      )}
      {isOpen && <Ledger channelUserId={channel_user_id} label={ledger.title(name)} change={balance} />}
    </li>
  );
}

/** What the socket has said of balances since they were read, by channel. What it missed while it was away is read again. */
function useChanges(again: () => void): ReadonlyMap<string, Partial<Balance>> {
  const [changes, setChanges] = useState<ReadonlyMap<string, Partial<Balance>>>(new Map());
  useEffect(() => {
    const change = (channelId: string, by: Partial<Balance>): void =>
      setChanges((before) => new Map([...before, [channelId, { ...before.get(channelId), ...by }]]));
    return followUser((topic) => [
      ...whenMissed(topic, again),
      topic.on("points.changed", ({ data }) => change(data.channel_user_id, { balance: data.balance })),
      topic.on("points.bonus", ({ data }) => change(data.channel_user_id, { claimable: data.claimable })),
    ]);
  }, []);
  return changes;
}
