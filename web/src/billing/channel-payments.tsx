import { HandCoins, Star } from "lucide";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { laterDialog } from "../components/later.tsx";
import { signInAddress } from "../components/sign-in-first.tsx";
import { member } from "../site/live.ts";
import { type Schemas, site } from "../site/page-data.ts";
import type { Read } from "../site/read.ts";
import { serverNow } from "../site/service-clock.ts";
import { me, userId } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { arrivals, retried } from "./checkout.ts";
import { monthsSince } from "./months.ts";

const SubscribeDialog = laterDialog(async () => (await import("./subscribe-dialog.tsx")).SubscribeDialog);
const TipDialog = laterDialog(async () => (await import("./tip-dialog.tsx")).TipDialog);

type Props = {
  user: Schemas["ChannelProfile"];
  streamId: string;
  standing: Read<Schemas["ChannelStanding"]>;
};
type Open = "subscribe" | "gift" | "tip" | null;

/** What a viewer may pay for at a channel, where anything can be paid for. */
export function ChannelPayments({ user, streamId, standing }: Props) {
  const { billing } = TEXTS;
  const [open, setOpen] = useState<Open>(null);
  useFresh(streamId, standing);
  useEffect(() => {
    if (retried.value === null) return;
    setOpen(retried.value === "subscription" ? "subscribe" : retried.value);
    retried.value = null;
  }, [retried.value]);
  if (!site.takes_payments || me.value === undefined || me.value?.id === user.id) return null;
  const subscription = standing.data?.subscription ?? null;
  const close = () => setOpen(null);
  return (
    <>
      {me.value === null ? (
        <a class="button quiet" href={signInAddress()}>
          <Icon of={Star} />
          {billing.subscribe}
        </a>
      ) : (
        <button
          type="button"
          class="button quiet"
          aria-disabled={standing.data === undefined}
          onClick={() => standing.data && setOpen("subscribe")}
        >
          <Icon of={Star} />
          {subscription ? <Subscribed subscription={subscription} /> : billing.subscribe}
        </button>
      )}
      <button type="button" class="button quiet" onClick={() => setOpen("tip")}>
        <Icon of={HandCoins} />
        {billing.tip}
      </button>
      {(open === "subscribe" || open === "gift") && (
        <SubscribeDialog
          user={user}
          streamId={streamId}
          subscription={subscription}
          isGift={open === "gift"}
          onClose={close}
        />
      )}
      {open === "tip" && <TipDialog user={user} onClose={close} />}
    </>
  );
}

function Subscribed({ subscription }: { subscription: Schemas["ChannelSubscription"] }) {
  const { billing } = TEXTS;
  const { tier, status, started_at } = subscription;
  const months = monthsSince(started_at, serverNow());
  return (
    <span>
      {status === "past_due" ? billing.paymentProblem : billing.subscribed}
      {` · ${billing.tier(tier)}`}
      {months > 0 && ` · ${billing.months(months)}`}
    </span>
  );
}

/** Reads the standing again when a payment has arrived, and when the room says that the reader was subscribed: by them or as a gift. */
function useFresh(streamId: string, standing: Read<unknown>): void {
  const again = useRef(standing.again);
  again.current = standing.again;
  useEffect(() => {
    if (arrivals.value > 0) again.current();
  }, [arrivals.value]);
  const reader = userId.value;
  useEffect(() => {
    if (reader === null) return;
    const link = member().connect();
    const topic = link.live.subscribe(`chat:${streamId}`);
    let isFirst = true;
    const handlers = [
      // What came while the socket was away.
      topic.on("subscribed", ({ data }) => {
        if (!isFirst && data.recovered !== true) again.current();
        isFirst = false;
      }),
      topic.on("subscription.started", ({ data }) => data.subscriber.id === reader && again.current()),
      topic.on("subscription.gifted", ({ data }) => data.subscriber.id === reader && again.current()),
    ];
    return () => {
      for (const remove of handlers) remove();
      link.close();
    };
  }, [streamId, reader]);
}
