import { Refused } from "../../components/refused.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { say } from "../../site/toasts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { type Device, type PushState, turnOffPush, turnOnPush } from "./push.ts";

type Props = {
  /** Whether this service sends pushes to browsers. */
  isAvailable: boolean;
  state: PushState;
  userId: string;
  devices: readonly Device[];
  onChange: () => Promise<void>;
};

/** Turns pushes to this browser on and off. Only the press of the button asks for the permission. */
export function ThisDevice({ isAvailable, state, userId, devices, onChange }: Props) {
  const { push } = TEXTS;
  const { isBusy, refusal, submit } = useSubmit(async () => {
    try {
      if (state === "on") await turnOffPush(devices);
      else await turnOnPush(userId);
      say(state === "on" ? push.turnedOff : push.turnedOn);
    } finally {
      // Also a refusal may have changed what the browser allows.
      await onChange();
    }
  });
  return (
    <section class="box">
      <h2>{push.title}</h2>
      {!isAvailable && <p class="quiet">{push.unavailable}</p>}
      {isAvailable && state === "unsupported" && <p class="quiet">{push.unsupported}</p>}
      {isAvailable && state === "denied" && (
        <div role="alert">
          <p>{push.blocked}</p>
          <p class="quiet">{push.blockedHint}</p>
        </div>
      )}
      {isAvailable && (state === "on" || state === "off") && (
        <>
          <p>{state === "on" ? push.on : push.hint}</p>
          <Refused refusal={refusal} />
          <div class="actions">
            <button
              type="button"
              class={state === "on" ? "button quiet" : "button"}
              aria-disabled={isBusy}
              onClick={() => void submit()}
            >
              {state === "on" ? push.turnOff : push.turnOn}
            </button>
          </div>
        </>
      )}
    </section>
  );
}
