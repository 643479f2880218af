import { Component } from "preact";
import { signInAddress } from "../accounts/sign-in-first.tsx";
import { member } from "../site/live.ts";
import { me } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { ChatView } from "./chat-view.tsx";
import { Composer } from "./composer.tsx";
import { Room } from "./room.ts";
import "./chat.css";

type Props = { streamId: string; channelName: string };

/** The chat of a channel on its own page: whoever is signed in to the site may write. Keyed by the user, since a room is read as somebody. */
export class ChannelChat extends Component<Props> {
  readonly #room = new Room(member(), this.props.streamId, {
    change: () => this.forceUpdate(),
    end: () => this.#room.end(),
  });

  override componentWillUnmount(): void {
    this.#room.close();
  }

  render({ channelName }: Props) {
    const { modes, waits } = this.#room;
    const user = me.value;
    return (
      <ChatView
        room={this.#room}
        channelName={channelName}
        pollHint={TEXTS.channel.pollHint}
        composer={
          <Composer
            room={this.#room}
            modes={modes}
            waits={waits}
            speaker={user ? { username: user.username } : null}
            ended={null}
            onSignIn={() => location.assign(signInAddress())}
            onLeave={null}
          />
        }
      />
    );
  }
}
