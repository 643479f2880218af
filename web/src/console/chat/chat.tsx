import { Loaded } from "../../components/loaded.tsx";
import { useRead } from "../../site/read.ts";
import { ConsolePage } from "../console-page.tsx";
import { ModesPanel } from "./modes-panel.tsx";
import { TermsPanel } from "./terms-panel.tsx";

/** Who may write in the channel's chat, and what. */
export const ChatConsole = () => <ConsolePage section="chat">{() => <Chat />}</ConsolePage>;

function Chat() {
  const stream = useRead("getMyStream", {});
  return (
    <Loaded read={stream}>
      {({ id }) => (
        <div class="panels">
          <ModesPanel streamId={id} />
          <TermsPanel streamId={id} />
        </div>
      )}
    </Loaded>
  );
}
