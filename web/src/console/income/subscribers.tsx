import { ChannelLink } from "../../components/channel-link.tsx";
import { PagedRows } from "../../components/paged-rows.tsx";
import { formatDate } from "../../formats/dates.ts";
import type { Schemas } from "../../site/page-data.ts";
import { usePaged } from "../../site/paged.tsx";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { Panel } from "../panel.tsx";

/** Whose subscriptions haven't ended, newest first. */
export function Subscribers() {
  const texts = CONSOLE_TEXTS.income;
  const pages = usePaged("listMySubscribers", {});
  return (
    <Panel title={texts.subscribers}>
      <PagedRows pages={pages} empty={texts.noSubscribers}>
        {(one) => <Row key={one.id} subscription={one} />}
      </PagedRows>
    </Panel>
  );
}

function Row({ subscription }: { subscription: Schemas["ChannelSubscription"] }) {
  const texts = CONSOLE_TEXTS.income;
  const { subscriber, tier, status, is_gift, started_at, renews_at } = subscription;
  const isEnding = is_gift || status === "cancelled";
  const facts = [
    TEXTS.billing.tier(tier),
    ...(is_gift ? [texts.gift] : []),
    texts.since(formatDate(started_at)),
    ...(renews_at === null ? [] : [(isEnding ? texts.ends : texts.renews)(formatDate(renews_at))]),
  ];
  return (
    <li>
      <div class="what">
        <ChannelLink channel={subscriber} gone={texts.gone} />
        <span class="quiet">{facts.join(" · ")}</span>
      </div>
      {status !== "active" && <b>{texts.states[status]}</b>}
    </li>
  );
}
