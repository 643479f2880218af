import { useId, useRef, useState } from "preact/hooks";
import { Refused } from "../../components/refused.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import type { Schemas } from "../../site/page-data.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { useUnsaved } from "../../site/unsaved.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { useInTurn } from "../in-turn.ts";
import { Panel } from "../panel.tsx";
import { UserList } from "./user-list.tsx";

type Settings = Schemas["RaidSettings"];
const ACCEPTED = ["everyone", "followed", "nobody"] as const satisfies readonly Settings["accept_from"][];
/** Minutes to choose from; others stay as a program has set them. */
const FOLLOWED = [null, 0, 1_440, 10_080, 43_200];

/** Whose raids the channel accepts, and what follows one. */
export function RaidSettings({ known }: { known: Settings }) {
  const texts = CONSOLE_TEXTS.raids;
  const id = useId();
  const [saved, setSaved] = useState(known);
  const newest = useRef(known);
  const inTurn = useInTurn();
  /** The service keeps them as a whole, so that each change begins with what the one before it has made. */
  const store = (change: (saved: Settings) => Schemas["RaidSettingsUpdate"]): Promise<void> =>
    inTurn(async () => {
      newest.current = await client.call("setRaidSettings", { body: change(newest.current) });
      setSaved(newest.current);
    });
  const [wanted, setWanted] = useState(known);
  const set = (change: Partial<Settings>): void => setWanted((before) => ({ ...before, ...change }));
  const markSaved = useUnsaved(JSON.stringify(bodyOf(wanted)));
  const { isBusy, refusal, submit } = useSubmit(async () => {
    // The list is kept as it changes.
    await store(({ blocked_user_ids }) => ({ ...bodyOf(wanted), blocked_user_ids }));
    markSaved();
    say(texts.saved);
  });
  const minutes = FOLLOWED.includes(wanted.min_follow) ? FOLLOWED : [...FOLLOWED, wanted.min_follow];
  return (
    <Panel title={texts.raids}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        <fieldset class="plain">
          <legend>{texts.accept}</legend>
          {ACCEPTED.map((one) => (
            <label key={one} class="check">
              <input
                type="radio"
                name="accept"
                checked={wanted.accept_from === one}
                onChange={() => set({ accept_from: one })}
              />
              {texts.acceptFrom[one]}
            </label>
          ))}
        </fieldset>
        <div class="field">
          <label htmlFor={`${id}-follow`}>{texts.follow}</label>
          <select
            id={`${id}-follow`}
            value={wanted.min_follow ?? "none"}
            onChange={({ currentTarget: { value } }) =>
              set({ min_follow: value === "none" ? null : Number(value) })
            }
          >
            {minutes.map((one) => (
              <option key={one} value={one ?? "none"}>
                {texts.follows[String(one ?? "none")] ?? texts.minutes(one ?? 0)}
              </option>
            ))}
          </select>
        </div>
        {(["shield_on_arrival", "host_after"] as const).map((field) => (
          <label key={field} class="check">
            <input
              type="checkbox"
              checked={wanted[field]}
              onChange={({ currentTarget }) => set({ [field]: currentTarget.checked })}
            />
            {field === "host_after" ? texts.hostAfter : texts.shield}
          </label>
        ))}
        <Refused refusal={refusal} />
        <div class="actions">
          <button type="submit" class="button" aria-disabled={isBusy}>
            {texts.save}
          </button>
        </div>
      </form>
      <h3>{texts.blocked}</h3>
      <UserList
        users={saved.blocked_users}
        empty={texts.noBlocked}
        onChange={(change) =>
          store((now) => ({
            ...bodyOf(now),
            blocked_user_ids: change(now.blocked_users).map(({ id }) => id),
          }))
        }
      />
    </Panel>
  );
}

/** Without the list, whose names the service adds. */
const bodyOf = ({ accept_from, min_follow, host_after, shield_on_arrival }: Settings) => ({
  accept_from,
  min_follow,
  host_after,
  shield_on_arrival,
});
