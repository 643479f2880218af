import { render } from "preact";
import { Player } from "../../live/player/player.tsx";
import { ownMember } from "../../site/connection.ts";
import { openPage } from "../page.ts";
import "../page.css";
import "../../live/player/player.css";

const { client, root, streamId, channelName, params } = openPage();
render(
  <main class="whole">
    <Player
      member={ownMember(client, false)}
      streamId={streamId}
      channelName={channelName}
      isAutomatic={params.get("autoplay") !== "false"}
      isMuted={params.get("muted") !== "false"}
    />
  </main>,
  root,
);
