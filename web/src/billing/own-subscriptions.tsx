import { useEffect, useState } from "preact/hooks";
import { nameOf } from "../components/avatar.tsx";
import { PagedRows } from "../components/paged-rows.tsx";
import { formatDate } from "../formats/dates.ts";
import type { Schemas } from "../site/page-data.ts";
import { usePaged } from "../site/paged.tsx";
import { problemOf } from "../site/problems.ts";
import { client } from "../site/session.ts";
import { say } from "../site/toasts.ts";
import { TEXTS } from "../texts/texts.ts";
import { CancelDialog } from "./cancel-dialog.tsx";
import { ChangeTierDialog } from "./change-tier-dialog.tsx";
import { arrivals } from "./checkout.ts";
import { HistoryDialog } from "./history-dialog.tsx";
import { type Act, SubscriptionRow } from "./subscription-row.tsx";

type Subscription = Schemas["ChannelSubscription"];

/** The reader's subscriptions, bought or given, with what they may do about each. */
export function OwnSubscriptions() {
  const { billing } = TEXTS;
  const pages = usePaged("listMySubscriptions", {});
  const [changed, setChanged] = useState<ReadonlyMap<string, Subscription>>(new Map());
  const [open, setOpen] = useState<{ what: Act; subscription: Subscription } | null>(null);
  useEffect(() => {
    if (arrivals.value === 0) return;
    setChanged(new Map());
    pages.first.again();
  }, [arrivals.value]);

  const keep = (subscription: Subscription): void =>
    setChanged((before) => new Map([...before, [subscription.id, subscription]]));
  const resume = async (known: Subscription): Promise<void> => {
    try {
      const subscription = await client.call("resumeSubscription", { path: { subscription_id: known.id } });
      keep(subscription);
      say(billing.resumed(formatDate(subscription.renews_at ?? "")));
    } catch (err) {
      say(problemOf(err), { isProblem: true });
    }
  };
  const act = (what: Act, subscription: Subscription): void => {
    if (what === "resume") void resume(subscription);
    else setOpen({ what, subscription });
  };
  const close = () => setOpen(null);
  const done = (subscription: Subscription, text: string): void => {
    keep(subscription);
    close();
    say(text);
  };
  const name = open?.subscription.channel ? nameOf(open.subscription.channel) : billing.goneChannel;
  return (
    <section class="box">
      <h2>{billing.list}</h2>
      <PagedRows pages={pages} empty={billing.none}>
        {(one) => <SubscriptionRow key={one.id} subscription={changed.get(one.id) ?? one} onAct={act} />}
      </PagedRows>
      {open?.what === "cancel" && (
        <CancelDialog subscription={open.subscription} name={name} onDone={done} onClose={close} />
      )}
      {open?.what === "change" && (
        <ChangeTierDialog subscription={open.subscription} name={name} onDone={done} onClose={close} />
      )}
      {open?.what === "history" && (
        <HistoryDialog subscription={open.subscription} name={name} onClose={close} />
      )}
    </section>
  );
}
