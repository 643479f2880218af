import { DialogForm } from "../components/dialog-form.tsx";
import { useSubmit } from "../components/use-submit.ts";
import { formatDate } from "../formats/dates.ts";
import type { Schemas } from "../site/page-data.ts";
import { client } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";

type Subscription = Schemas["ChannelSubscription"];
type Props = {
  subscription: Subscription;
  /** Of the channel. */
  name: string;
  /** With what to say. */
  onDone: (subscription: Subscription, text: string) => void;
  onClose: () => void;
};

/** What stays of a subscription that is cancelled. */
export function CancelDialog({ subscription, name, onDone, onClose }: Props) {
  const { billing } = TEXTS;
  const submission = useSubmit(async () => {
    const path = { subscription_id: subscription.id };
    onDone(await client.call("cancelSubscription", { path }), billing.cancelled);
  });
  return (
    <DialogForm
      title={billing.cancelTitle(name)}
      submission={submission}
      go={billing.cancel}
      stay={billing.keep}
      isDanger
      onClose={onClose}
    >
      <p>
        {subscription.status === "past_due"
          ? billing.cancelEnds
          : billing.cancelKeeps(formatDate(subscription.renews_at ?? ""))}
      </p>
    </DialogForm>
  );
}
