import { ConsolePage } from "../console-page.tsx";
import { OfOwnStream } from "../of-own-stream.tsx";
import { ModesPanel } from "./modes-panel.tsx";
import { TermsPanel } from "./terms-panel.tsx";

/** Who may write in the channel's chat, and what. */
export const ChatConsole = () => (
  <ConsolePage section="chat">
    {() => (
      <OfOwnStream>
        {(streamId) => (
          <div class="panels">
            <ModesPanel streamId={streamId} />
            <TermsPanel streamId={streamId} />
          </div>
        )}
      </OfOwnStream>
    )}
  </ConsolePage>
);
