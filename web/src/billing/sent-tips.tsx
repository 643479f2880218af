import { useEffect } from "preact/hooks";
import { ChannelLink } from "../components/channel-link.tsx";
import { PagedRows } from "../components/paged-rows.tsx";
import { formatMoment } from "../formats/dates.ts";
import { formatMoney } from "../formats/money.ts";
import type { Schemas } from "../site/page-data.ts";
import { usePaged } from "../site/paged.tsx";
import { TEXTS } from "../texts/texts.ts";
import { arrivals } from "./checkout.ts";

/** The reader's tips, and what became of them and of their messages. */
export function SentTips() {
  const { billing } = TEXTS;
  const pages = usePaged("listMyTips", { query: { direction: "sent" } });
  useEffect(() => {
    if (arrivals.value > 0) pages.first.again();
  }, [arrivals.value]);
  return (
    <section class="box">
      <h2>{billing.tips}</h2>
      <PagedRows pages={pages} empty={billing.noTips}>
        {(tip) => <Row key={tip.id} tip={tip} />}
      </PagedRows>
    </section>
  );
}

function Row({ tip }: { tip: Schemas["Tip"] }) {
  const { billing } = TEXTS;
  const { to_user: receiver, amount_cents, currency, message, message_state, status, created_at } = tip;
  return (
    <li>
      <div class="what">
        <span>
          {`${billing.tipTo(formatMoney(amount_cents, currency))} `}
          <ChannelLink channel={receiver} gone={billing.goneChannel} />
        </span>
        {message !== null && <q dir="auto">{message}</q>}
        <span class="quiet">
          <time dateTime={created_at}>{billing.tippedAt(formatMoment(created_at))}</time>
          {message_state !== null && ` · ${billing.messageStates[message_state]}`}
        </span>
      </div>
      <b>{billing.tipStates[status]}</b>
    </li>
  );
}
