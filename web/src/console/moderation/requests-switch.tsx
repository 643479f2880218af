import { useOneAtATime } from "../../components/one-at-a-time.ts";
import { problemOf } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";

type Props = { streamId: string; isOn: boolean; onSwitch: (isOn: boolean) => void };

/** Whether the channel takes unban requests. A change is shown at once, and taken back where it was refused. */
export function RequestsSwitch({ streamId, isOn, onSwitch }: Props) {
  const texts = CONSOLE_TEXTS.moderation.unbanRequests;
  const { run } = useOneAtATime();
  const change = async (to: boolean): Promise<void> => {
    onSwitch(to);
    try {
      await client.call("updateChatSettings", {
        path: { stream_id: streamId },
        body: { unban_requests: to },
      });
      say(to ? texts.turnedOn : texts.turnedOff);
    } catch (err) {
      onSwitch(!to);
      say(problemOf(err), { isProblem: true });
    }
  };
  return (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={() => void run(() => change(!isOn))} />
      {texts.takes}
    </label>
  );
}
