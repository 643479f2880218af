import { useRef, useState } from "preact/hooks";
import { nameOf } from "../../components/avatar.tsx";
import { ChannelLink } from "../../components/channel-link.tsx";
import { DialogForm } from "../../components/dialog-form.tsx";
import { PagedRows } from "../../components/paged-rows.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { formatMoment } from "../../formats/dates.ts";
import { formatMoney } from "../../formats/money.ts";
import { AttemptKey } from "../../site/attempt-key.ts";
import type { Schemas } from "../../site/page-data.ts";
import { usePaged } from "../../site/paged.tsx";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { Panel } from "../panel.tsx";

type Tip = Schemas["Tip"];

/** Tips to the channel, newest first, and what gives one back. */
export function ReceivedTips() {
  const texts = CONSOLE_TEXTS.income;
  const pages = usePaged("listMyTips", { query: { direction: "received" } });
  const [refunding, setRefunding] = useState<Tip | null>(null);
  /** As this page has changed them. */
  const [changed, setChanged] = useState<ReadonlyMap<string, Tip>>(new Map());
  return (
    <Panel title={texts.tips}>
      <PagedRows pages={pages} empty={texts.noTips}>
        {(tip) => <Row key={tip.id} tip={changed.get(tip.id) ?? tip} onRefund={setRefunding} />}
      </PagedRows>
      {refunding && (
        <Refund
          tip={refunding}
          onRefunded={(tip) => setChanged((before) => new Map([...before, [tip.id, tip]]))}
          onClose={() => setRefunding(null)}
        />
      )}
    </Panel>
  );
}

const amountOf = ({ amount_cents, currency }: Tip): string => formatMoney(amount_cents, currency);

function Row({ tip, onRefund }: { tip: Tip; onRefund: (tip: Tip) => void }) {
  const texts = CONSOLE_TEXTS.income;
  const { from_user: from, message, message_state: state, status, created_at: at } = tip;
  const name = from ? nameOf(from) : texts.anonymous;
  return (
    <li>
      <div class="what">
        <span>
          <b>{amountOf(tip)}</b> <ChannelLink channel={from} gone={texts.anonymous} />
        </span>
        {message !== null && <q dir="auto">{message}</q>}
        <span class="quiet">
          <time dateTime={at}>{formatMoment(at)}</time>
          {state !== null && ` · ${texts.messageStates[state]}`}
        </span>
      </div>
      {status === "completed" ? (
        <button
          type="button"
          class="button quiet"
          aria-label={texts.refundOf(amountOf(tip), name)}
          onClick={() => onRefund(tip)}
        >
          {texts.refund}
        </button>
      ) : (
        <b>{texts.tipStates[status]}</b>
      )}
    </li>
  );
}

type RefundProps = { tip: Tip; onRefunded: (tip: Tip) => void; onClose: () => void };

function Refund({ tip, onRefunded, onClose }: RefundProps) {
  const texts = CONSOLE_TEXTS.income;
  const { current: key } = useRef(new AttemptKey());
  const submission = useSubmit(async () => {
    const path = { tip_id: tip.id };
    onRefunded(await key.once(path, (idempotencyKey) => client.call("refundTip", { path, idempotencyKey })));
    say(texts.refunded(amountOf(tip)));
    onClose();
  });
  return (
    <DialogForm
      title={texts.refundTitle(amountOf(tip))}
      submission={submission}
      go={texts.refund}
      isDanger
      onClose={onClose}
    >
      <p>{texts.refundHint}</p>
    </DialogForm>
  );
}
