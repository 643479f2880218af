import { ConsolePage } from "../console-page.tsx";
import { OfOwnStream } from "../of-own-stream.tsx";
import { BadgeList } from "./badge-list.tsx";
import { EmoteList } from "./emote-list.tsx";
import "./emotes.css";

/** The channel's own pictures for its chat. */
export const EmotesConsole = () => (
  <ConsolePage section="emotes">
    {() => (
      <OfOwnStream>
        {(streamId) => (
          <div class="panels">
            <EmoteList streamId={streamId} />
            <BadgeList streamId={streamId} />
          </div>
        )}
      </OfOwnStream>
    )}
  </ConsolePage>
);
