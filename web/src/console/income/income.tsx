import { ConsolePage } from "../console-page.tsx";
import { ReceivedTips } from "./received-tips.tsx";
import { Subscribers } from "./subscribers.tsx";

/** Who pays for the channel. */
export const IncomeConsole = () => (
  <ConsolePage section="income">
    {() => (
      <div class="panels">
        <Subscribers />
        <ReceivedTips />
      </div>
    )}
  </ConsolePage>
);
