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

/** Without what the settings hide. */
function shownOf(lines: readonly Line[], settings: Settings): Line[] {
  const hidden = new Set(settings.hidden_users.map((name) => name.toLowerCase()));
  const shown: Line[] = [];
  for (let place = lines.length - 1; place >= 0 && shown.length < SHOWN_LINES; place--) {
    const line = lines[place];
    if (line && !(line.kind === "message" && isHidden(line.message, settings, hidden))) shown.unshift(line);
  }
  return shown;
}

function isHidden(
  { content, username, created_at }: components["schemas"]["ChatMessage"],
  { hides_commands, fade_seconds }: Settings,
  hidden: ReadonlySet<string>,
): boolean {
  if (hides_commands && content.startsWith("!")) return true;
  // Of the history, what would have faded by now.
  const isOld = fade_seconds > 0 && serverNow() - Date.parse(created_at) > fade_seconds * 1_000 + 1_000;
  return isOld || hidden.has(username.toLowerCase());
}
