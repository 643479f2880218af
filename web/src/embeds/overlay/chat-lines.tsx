import type { components } from "@livecore/client";
import { Component } from "preact";
import { LineView } from "../../chat/line-view.tsx";
import type { Line } from "../../chat/lines.ts";
import { Room } from "../../chat/room.ts";
import type { Badges } from "../../chat/room-facts.ts";
import type { Member } from "../../site/connection.ts";
import { serverNow } from "../../site/service-clock.ts";
import type { Settings } from "./settings.ts";

/** As many as fit on a high screen in the smallest size. */
const SHOWN_LINES = 60;

type Props = { member: Member; streamId: string; settings: Settings };

/** The room's newest lines, the last one at the bottom. */
export class ChatLines extends Component<Props> {
  readonly #room = new Room(this.props.member, this.props.streamId, {
    change: () => this.forceUpdate(),
    end: () => this.#room.end(),
  });

  override componentWillUnmount(): void {
    this.#room.close();
  }

  render({ settings }: Props) {
    const { lines, facts, connection } = this.#room;
    if (connection === "gone") return null;
    return <LineList lines={shownOf(lines.all, settings)} badges={facts.badges} settings={settings} />;
  }
}

type ListProps = { lines: readonly Line[]; badges: Badges; settings: Settings };

export const LineList = ({ lines, badges, settings }: ListProps) => (
  <ul
    class="lines"
    data-fades={settings.fade_seconds > 0}
    style={{ "--size": `${settings.font_size}px`, "--fade-after": `${settings.fade_seconds}s` }}
  >
    {lines.map((line) => (
      <LineView key={line.key} line={line} badges={badges} self={null} acts={null} />
    ))}
  </ul>
);

/** How long a line takes to fade, as the style sheet has it, ms. */
const FADING_MS = 1_000;

/** Without what the settings hide, and what has faded: older lines that come back would be seen again. */
function shownOf(lines: readonly Line[], settings: Settings): Line[] {
  const fadedMs = settings.fade_seconds === 0 ? Infinity : settings.fade_seconds * 1_000 + FADING_MS;
  const hidden = new Set(settings.hidden_users.map((name) => name.toLowerCase()));
  const shown: Line[] = [];
  for (let place = lines.length - 1; place >= 0 && shown.length < SHOWN_LINES; place--) {
    const line = lines[place];
    if (!line || ageOf(line) > fadedMs) break;
    if (!(line.kind === "message" && isHidden(line.message, settings, hidden))) shown.unshift(line);
  }
  return shown;
}

/** In ms. Notices come as they happen; a message may be one of the history. */
const ageOf = (line: Line): number =>
  line.kind === "message" ? serverNow() - Date.parse(line.message.created_at) : Date.now() - line.at;

function isHidden(
  { content, username }: components["schemas"]["ChatMessage"],
  { hides_commands }: Settings,
  hidden: ReadonlySet<string>,
): boolean {
  return (hides_commands && content.startsWith("!")) || hidden.has(username.toLowerCase());
}
