import type { components } from "@livecore/client";
import { Component } from "preact";
import { Lines, lineOf } from "../../chat/lines.ts";
import { overlayTexts } from "../../texts/en/overlay.ts";
import type { Shown } from "./alert-queue.ts";
import { Alerts } from "./alerts.tsx";
import { LineList } from "./chat-lines.tsx";
import { type Preview, previewIn, readyMessage } from "./preview-messages.ts";
import { PollBars, PredictionBars } from "./questions.tsx";
import { type Alert, type AlertKind, type OverlayKind, USUAL } from "./settings.ts";

type Props = { kind: OverlayKind };
type State = { settings: Preview["settings"]; news: number };

const { sample } = overlayTexts;
const NAMES = ["Ada", "Grace", "Alan", "Hedy"];
const NO_ID = "00000000-0000-7000-8000-000000000000";
const userOf = (name: string) => ({ id: NO_ID, username: name, username_title: name, image_url: null });

/** An overlay with made-up contents, in the console. */
export class PreviewOverlay extends Component<Props, State> {
  override state: State = { settings: USUAL, news: 0 };
  #waiting: Shown[] = [];
  #made = 0;

  override componentDidMount(): void {
    addEventListener("message", this.#onMessage);
    parent.postMessage(readyMessage, location.origin);
  }
  override componentWillUnmount(): void {
    removeEventListener("message", this.#onMessage);
  }

  readonly #onMessage = ({ origin, source, data }: MessageEvent<unknown>): void => {
    if (origin !== location.origin || source !== parent) return;
    const preview = previewIn(data);
    if (!preview) return;
    if (preview.alert) this.#waiting.push({ alert: alertOf(preview.alert, this.#made++), count: 1 });
    this.setState(({ news }) => ({ settings: preview.settings, news: news + 1 }));
  };

  render({ kind }: Props, { settings, news }: State) {
    return (
      <main class="overlay" data-kind={kind} data-theme={settings.theme}>
        {kind === "chat" && (
          <LineList key={`${settings.fade_seconds}`} lines={LINES} badges={new Map()} settings={settings} />
        )}
        {kind === "alerts" && (
          <Alerts
            settings={settings}
            news={news}
            next={() => this.#waiting.shift() ?? null}
            now={(shown) => shown}
          />
        )}
        {kind === "prediction" && <PredictionBars prediction={PREDICTION} />}
        {kind === "poll" && <PollBars poll={POLL} />}
      </main>
    );
  }
}

const ABOUT: Record<AlertKind, Partial<Alert>> = {
  follow: {},
  subscription: { tier: 2 },
  gift: { tier: 1, receiver: userOf("Grace") },
  tip: { amount_cents: 500, currency: "USD", message: sample.message },
  raid: { viewer_count: 42 },
};
const alertOf = (kind: AlertKind, no: number): Alert => ({
  id: `preview:${no}`,
  kind,
  created_at: new Date().toISOString(),
  user: userOf("Ada"),
  is_test: true,
  ...ABOUT[kind],
});

const messageOf = (content: string, place: number): components["schemas"]["ChatMessage"] => ({
  uuid: `preview:${place}`,
  user_id: NO_ID,
  username: NAMES[place] ?? "Ada",
  room_id: 0,
  content,
  type: "message",
  timestamp: 0,
  is_deleted: false,
  reply_to_id: null,
  reply_to_user: null,
  created_at: new Date().toISOString(),
  emotes: [],
  badges: [],
});
const LINES = linesOf(sample.lines);
function linesOf(texts: readonly string[]): Lines["all"] {
  const lines = new Lines();
  for (const [place, text] of texts.entries()) lines.add(lineOf(messageOf(text, place)));
  return lines.all;
}

const soon = (): string => new Date(Date.now() + 90_000).toISOString();
const PREDICTION: components["schemas"]["Prediction"] = {
  id: NO_ID,
  stream_id: NO_ID,
  title: sample.prediction,
  status: "active",
  locks_at: soon(),
  resolved_outcome_id: null,
  outcomes: [
    { id: "yes", title: sample.yes, color: null, points_pool: 3_200, bettor_count: 14 },
    { id: "no", title: sample.no, color: null, points_pool: 1_800, bettor_count: 9 },
  ],
  created_at: new Date().toISOString(),
};
const POLL: components["schemas"]["ChatPoll"] = {
  id: NO_ID,
  question: sample.poll,
  status: "active",
  options: [
    { id: "yes", text: sample.yes, order: 0, votes: 21 },
    { id: "no", text: sample.no, order: 1, votes: 13 },
  ],
  total_votes: 34,
  duration_sec: 90,
  creator_id: NO_ID,
  ends_at: soon(),
  created_at: new Date().toISOString(),
};
