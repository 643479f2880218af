import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { ConsolePage } from "../console-page.tsx";
import { OfOwnStream } from "../of-own-stream.tsx";
import { Panel } from "../panel.tsx";
import { OverlayList } from "./overlay-list.tsx";
import "./overlays.css";

/** The channel's pages for broadcasting programs. */
export const OverlaysConsole = () => (
  <ConsolePage section="overlays">
    {() => (
      <OfOwnStream>
        {(streamId) => (
          <div class="column">
            <OverlayList streamId={streamId} />
            <Steps />
          </div>
        )}
      </OfOwnStream>
    )}
  </ConsolePage>
);

function Steps() {
  const { steps } = CONSOLE_TEXTS.overlays;
  return (
    <Panel title={steps.title} kind="steps">
      <ol>
        {steps.list.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </Panel>
  );
}
