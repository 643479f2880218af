import { useEffect, useId, useRef, useState } from "preact/hooks";
import { useSubmit } from "../components/use-submit.ts";
import { AttemptKey } from "../site/attempt-key.ts";
import { TEXTS } from "../texts/texts.ts";
import type { ChannelPoints } from "./channel-points.ts";
import { payoutOf, STAKE_LIMIT } from "./odds.ts";
import type { Bet, Prediction } from "./prediction.ts";
import { betRefusalOf } from "./refusals.ts";

type Outcome = Prediction["outcomes"][number];
type Props = { points: ChannelPoints; prediction: Prediction; outcome: Outcome; bet: Bet | null };

const TENTH = 0.1;
const HALF = 0.5;

/** How much to bet on an outcome; to add to a bet, the form is opened by a button. */
export function BetForm({ points, prediction, outcome, bet }: Props) {
  const [isOpen, open] = useState(bet === null);
  const { value: balance } = points.balance.points;
  const texts = TEXTS.prediction;
  const staked = bet?.amount ?? 0;
  if (balance === null) return <p class="hint">{TEXTS.points.loading}</p>;
  if (bet === null && balance === 0) return <p class="hint">{texts.noPoints}</p>;
  if (bet !== null && !isOpen) {
    if (balance === 0 || staked >= STAKE_LIMIT) return null;
    return (
      <button type="button" class="button quiet add" onClick={() => open(true)}>
        {texts.add}
      </button>
    );
  }
  return (
    <Amount
      points={points}
      prediction={prediction}
      outcome={outcome}
      staked={staked}
      balance={balance}
      onDone={() => open(false)}
    />
  );
}

type AmountProps = Omit<Props, "bet"> & { staked: number; balance: number; onDone: () => void };

function Amount({ points, prediction, outcome, staked, balance, onDone }: AmountProps) {
  const [text, setText] = useState("");
  const { current: key } = useRef(new AttemptKey());
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  // On a phone it would open below what is shown of the card.
  useEffect(() => form.current?.scrollIntoView({ block: "nearest" }), []);
  const texts = TEXTS.prediction;
  const most = Math.min(balance, STAKE_LIMIT - staked);
  const amount = /^\d{1,9}$/.test(text.trim()) ? Number(text.trim()) : 0;
  const { isBusy, refusal, submit, reset } = useSubmit(async () => {
    const body = { outcome_id: outcome.id, amount };
    if (faultIn(text, amount, { balance, staked }) !== null) return;
    await key.once(body, (idempotencyKey) => points.bet(prediction, body, idempotencyKey));
    setText("");
    onDone();
  });
  const write = (to: string): void => {
    reset();
    setText(to);
  };
  const fault = text === "" ? null : faultIn(text, amount, { balance, staked });
  const problem = fault ?? (refusal === null ? null : betRefusalOf(refusal, prediction));
  const pays = payoutOf(prediction, outcome, staked, amount);
  const share = (of: number): string => String(Math.min(most, Math.max(1, Math.floor(balance * of))));
  return (
    <form ref={form} class="bet field" onSubmit={(event) => void submit(event)}>
      <label htmlFor={id}>
        <bdi>{texts.betOn(outcome.title)}</bdi>
      </label>
      <div class="control">
        <input
          id={id}
          name="amount"
          inputMode="numeric"
          autoComplete="off"
          maxLength={9}
          placeholder={texts.amount}
          value={text}
          aria-invalid={problem !== null}
          aria-describedby={`${id}-hint`}
          onInput={({ currentTarget }) => write(currentTarget.value)}
        />
        <button type="submit" class="button" aria-disabled={isBusy || amount === 0 || fault !== null}>
          {texts.bet}
        </button>
      </div>
      <div class="quick">
        <button type="button" class="button quiet" onClick={() => write(share(TENTH))}>
          {texts.some}
        </button>
        <button type="button" class="button quiet" onClick={() => write(share(HALF))}>
          {texts.half}
        </button>
        <button type="button" class="button quiet" onClick={() => write(String(most))}>
          {texts.all}
        </button>
      </div>
      <p id={`${id}-hint`} class={problem === null ? "hint" : "fault"} aria-live="polite">
        {problem ??
          (amount > 0 ? <PaysText staked={staked} pays={pays} outcome={outcome} /> : texts.most(most))}
      </p>
    </form>
  );
}

function PaysText({ staked, pays, outcome }: { staked: number; pays: number; outcome: Outcome }) {
  const texts = TEXTS.prediction;
  return <bdi>{(staked === 0 ? texts.pays : texts.paysInAll)(pays, outcome.title)}</bdi>;
}

/** What is wrong with an amount, before the service is asked; null if nothing is. */
function faultIn(
  text: string,
  amount: number,
  { balance, staked }: { balance: number; staked: number },
): string | null {
  const texts = TEXTS.points;
  if (amount < 1 || !/^\d+$/.test(text.trim())) return texts.wholeNumber;
  if (amount > balance) return texts.notEnough(balance);
  return amount > STAKE_LIMIT - staked ? texts.limit(STAKE_LIMIT, staked) : null;
}
