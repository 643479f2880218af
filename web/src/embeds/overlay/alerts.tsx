import { Gift, HandCoins, type IconNode, Star, UserPlus, Users } from "lucide";
import { Component } from "preact";
import { nameOf } from "../../components/avatar.tsx";
import { Icon } from "../../components/icon.tsx";
import { overlayTexts } from "../../texts/en/overlay.ts";
import type { Shown } from "./alert-queue.ts";
import { chime } from "./chime.ts";
import type { Alert, AlertKind, Settings } from "./settings.ts";

const ICONS: Record<AlertKind, IconNode> = {
  follow: UserPlus,
  subscription: Star,
  gift: Gift,
  tip: HandCoins,
  raid: Users,
};
/** For which an alert leaves, and the screen is empty before the next one; as the style sheet has it. */
const LEAVING_MS = 400;
const PAUSE_MS = 300;

/**
 * `next` gives out each alert once; `now` says how the one on the screen is now, null once it isn't to be shown any more. `news` is
 * another number when either may say something else.
 */
type Props = {
  settings: Settings;
  news: number;
  next: () => Shown | null;
  now: (shown: Shown) => Shown | null;
};
type State = { shown: Shown | null; isLeaving: boolean };

/** One alert at a time, each for its seconds. */
export class Alerts extends Component<Props, State> {
  override state: State = { shown: null, isLeaving: false };
  #timer: ReturnType<typeof setTimeout> | undefined;

  override componentDidMount(): void {
    this.#showNext();
  }
  override componentDidUpdate(before: Props): void {
    if (before.news === this.props.news) return;
    this.#showAsNow();
    this.#showNext();
  }
  override componentWillUnmount(): void {
    clearTimeout(this.#timer);
  }

  /** Unless one is on the screen. */
  #showNext(): void {
    if (this.#timer !== undefined) return;
    const shown = this.props.next();
    if (!shown) return;
    const { settings } = this.props;
    if (settings.sound) chime(shown.alert.kind, settings.volume);
    this.setState({ shown, isLeaving: false });
    this.#timer = setTimeout(() => this.#leave(), settings.alert_seconds * 1_000);
  }

  #showAsNow(): void {
    const { shown, isLeaving } = this.state;
    if (!shown) return;
    const now = this.props.now(shown);
    if (now) this.setState({ shown: now });
    if (now || isLeaving) return;
    clearTimeout(this.#timer);
    this.#leave();
  }

  #leave(): void {
    this.setState({ isLeaving: true });
    this.#timer = setTimeout(() => {
      this.setState({ shown: null, isLeaving: false });
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#showNext();
      }, PAUSE_MS);
    }, LEAVING_MS);
  }

  render(_: Props, { shown, isLeaving }: State) {
    if (!shown) return null;
    const { alert, count } = shown;
    return (
      <section class="alert panel" key={alert.id} data-kind={alert.kind} data-leaving={isLeaving}>
        <span class="icon-of">
          <Icon of={ICONS[alert.kind]} />
        </span>
        <div>
          <p class="what">
            <b dir="auto">{nameIn(alert)}</b> <Said alert={alert} count={count} />
          </p>
          {alert.message != null && (
            <p class="message" dir="auto">
              {alert.message}
            </p>
          )}
        </div>
      </section>
    );
  }
}

function nameIn({ kind, user }: Alert): string {
  if (user) return nameOf(user);
  return kind === "tip" ? overlayTexts.anonymous : overlayTexts.someone;
}

function Said({ alert, count }: { alert: Alert; count: number }) {
  const { said } = overlayTexts;
  const { tier = 1, receiver } = alert;
  switch (alert.kind) {
    case "follow":
      return <>{count === 1 ? said.follow : said.follows(count - 1)}</>;
    case "subscription":
      return <>{said.subscription(tier)}</>;
    case "gift":
      if (count > 1 || !receiver) return <>{said.gifts(count, tier)}</>;
      return (
        <>
          {said.gift(tier)} <b dir="auto">{nameOf(receiver)}</b>
        </>
      );
    case "tip":
      return <>{said.tip(alert.amount_cents ?? 0, alert.currency ?? "USD")}</>;
    case "raid":
      return <>{said.raid(alert.viewer_count ?? 0)}</>;
  }
}
