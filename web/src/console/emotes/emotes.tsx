import { Loaded } from "../../components/loaded.tsx";
import { useRead } from "../../site/read.ts";
import { ConsolePage } from "../console-page.tsx";
import { BadgeList } from "./badge-list.tsx";
import { EmoteList } from "./emote-list.tsx";
import "./emotes.css";

/** The channel's own pictures for its chat. */
export const EmotesConsole = () => <ConsolePage section="emotes">{() => <Emotes />}</ConsolePage>;

function Emotes() {
  const stream = useRead("getMyStream", {});
  return (
    <Loaded read={stream}>
      {({ id }) => (
        <div class="panels">
          <EmoteList streamId={id} />
          <BadgeList streamId={id} />
        </div>
      )}
    </Loaded>
  );
}
