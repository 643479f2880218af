import type { components, LivecoreClient, MessageOf, Subscription } from "@livecore/client";
import { signal } from "@preact/signals";
import { poolOf } from "./odds.ts";

type Schemas = components["schemas"];
export type Prediction = Schemas["Prediction"];
export type Bet = Pick<Schemas["Bet"], "prediction_id" | "outcome_id" | "amount" | "payout">;

/** How long a result is shown to readers who hadn't bet. Others close it. */
const RESULT_MS = 60_000;
/** A payout usually comes by itself, within a second. */
const PAYOUT_READ_MS = 5_000;
const EVENTS = [
  ...(["prediction.opened", "prediction.progress", "prediction.locked"] as const),
  ...(["prediction.resolved", "prediction.cancelled"] as const),
];
const STEPS = { active: 0, locked: 1, resolved: 2, cancelled: 2 } as const;

/** A channel's prediction, and the user's own bet on it. */
export class ChannelPrediction {
  /** The open one, or the last one while its result is shown. */
  readonly shown = signal<Prediction | null>(null);
  /** The user's bet, which may be on an earlier one: `ownBet` compares. */
  readonly bet = signal<Bet | null>(null);
  readonly #streamId: string;
  readonly #client: LivecoreClient;
  #resultEnds: ReturnType<typeof setTimeout> | undefined;
  #payoutRead: ReturnType<typeof setTimeout> | undefined;

  constructor(client: LivecoreClient, streamId: string) {
    this.#client = client;
    this.#streamId = streamId;
  }

  /** Follows the room's events. Returns what ends that. */
  follow(room: Subscription<`chat:${string}`>): (() => void)[] {
    // Others may follow the room since long, then it isn't said again what is open.
    if (room.isLive) void this.#readOpen();
    return [
      room.on("subscribed", ({ data: { state } }) => {
        const { value: shown } = this.shown;
        if (state.prediction) this.#set(state.prediction);
        else if (state.prediction === undefined) void this.#readOpen();
        // It has ended meanwhile. The events may say how, but not after a long time.
        else if (shown && !isOver(shown)) void this.#read(shown.id);
      }),
      ...EVENTS.map((type) => room.on(type, ({ data }: MessageOf<typeof type>) => this.#set(data))),
    ];
  }

  /** Follows the user's own events. Returns what ends that. */
  followOwn(own: Subscription<"user">): (() => void)[] {
    return [
      own.on("prediction.result", ({ data }) => {
        if (data.prediction_id === this.shown.value?.id) this.betIs(data);
      }),
    ];
  }

  close(): void {
    clearTimeout(this.#resultEnds);
    clearTimeout(this.#payoutRead);
  }

  /** A bet of the user, by any answer or event: stakes only rise, and a payout stays. */
  betIs(bet: Bet): void {
    const before = this.bet.value?.prediction_id === bet.prediction_id ? this.bet.value : null;
    const isNewer = before === null || bet.amount >= before.amount;
    this.bet.value = {
      ...(isNewer ? bet : before),
      payout: bet.payout ?? before?.payout ?? null,
    };
    this.#awaitEnd();
  }

  /** Returns the balance that is left. Throws the LivecoreError that refused it. */
  async place(prediction: Prediction, body: Schemas["NewBet"], idempotencyKey: string): Promise<number> {
    const path = { prediction_id: prediction.id };
    const answer = await this.#client.call("placeBet", { path, body, idempotencyKey });
    this.#set(answer.prediction);
    this.betIs(answer.bet);
    return answer.balance;
  }

  /** As an answer of the service has it. */
  known(prediction: Prediction): void {
    this.#set(prediction);
  }

  /** Takes a result away. */
  dismiss(): void {
    this.close();
    this.shown.value = null;
  }

  async #readOpen(): Promise<void> {
    const input = { path: { stream_id: this.#streamId }, query: { per_page: 1 } };
    const answer = await this.#client.attempt("listPredictions", input).catch(() => null);
    // Without an answer the next event says what is open.
    const [newest] = answer?.ok ? answer.data.items : [];
    if (newest && !isOver(newest)) this.#set(newest);
  }

  async #read(prediction_id: string): Promise<void> {
    const answer = await this.#client.attempt("getPrediction", { path: { prediction_id } }).catch(() => null);
    if (answer?.ok) this.#set(answer.data);
  }

  async #readBet(prediction_id: string): Promise<void> {
    const answer = await this.#client.attempt("getMyBet", { path: { prediction_id } }).catch(() => null);
    if (answer?.ok && this.shown.value?.id === prediction_id) this.betIs(answer.data);
    else this.#awaitEnd();
  }

  #set(prediction: Prediction): void {
    const { value: shown } = this.shown;
    if (shown && isOlder(prediction, shown)) return;
    this.shown.value = prediction;
    this.#awaitEnd();
  }

  /** What follows a result: it is shown for a while, and a bet is paid out. */
  #awaitEnd(): void {
    this.close();
    const { value: shown } = this.shown;
    if (!shown || !isOver(shown)) return;
    const bet = ownBet(shown, this.bet.value);
    if (bet === null) this.#resultEnds = setTimeout(() => this.dismiss(), RESULT_MS);
    else if (bet.payout === null)
      this.#payoutRead = setTimeout(() => void this.#readBet(shown.id), PAYOUT_READ_MS);
  }
}

export const isOver = ({ status }: Prediction): boolean => STEPS[status] === STEPS.resolved;

export const ownBet = ({ id }: Prediction, bet: Bet | null): Bet | null =>
  bet?.prediction_id === id ? bet : null;

/** Events about stakes may be late, and a replay begins before what is shown. */
function isOlder(prediction: Prediction, shown: Prediction): boolean {
  if (prediction.id !== shown.id) return prediction.created_at < shown.created_at;
  const [step, shownStep] = [STEPS[prediction.status], STEPS[shown.status]];
  return step < shownStep || (step === shownStep && poolOf(prediction) < poolOf(shown));
}
