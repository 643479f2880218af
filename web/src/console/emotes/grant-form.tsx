import { LivecoreError } from "@livecore/client";
import { useState } from "preact/hooks";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Refused } from "../../components/refused.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import type { Schemas } from "../../site/page-data.ts";
import { Problem } from "../../site/problems.ts";
import { say } from "../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { userNamed } from "../user-named.ts";

type Props = {
  badge: Schemas["ChatBadge"];
  /** Both reject with what refused it. */
  give: (userId: string) => Promise<unknown>;
  take: (userId: string) => Promise<unknown>;
  onClose: () => void;
};

/** Gives a badge to a user, or takes it back. */
export function GrantForm({ badge, give, take, onClose }: Props) {
  const texts = CONSOLE_TEXTS.emotes.grant;
  const [username, setUsername] = useState("");
  const giving = useSubmit(async () => {
    taking.reset();
    const user = await userNamed(username);
    await give(user.id);
    say(texts.given(badge.name, user.username));
    setUsername("");
  });
  const taking = useSubmit(async () => {
    giving.reset();
    const user = await userNamed(username);
    try {
      await take(user.id);
    } catch (err) {
      if (err instanceof LivecoreError && err.code === "not_found") throw new Problem(texts.notWorn);
      throw err;
    }
    say(texts.taken(badge.name, user.username));
    setUsername("");
  });
  const isBusy = giving.isBusy || taking.isBusy;
  return (
    <Dialog title={texts.title(badge.name)} onClose={onClose}>
      <form class="form" onSubmit={(event) => void giving.submit(event)}>
        <Field
          name="username"
          label={TEXTS.console.username}
          autoComplete="off"
          value={username}
          onValue={setUsername}
          required
          autoFocus
        />
        <Refused refusal={giving.refusal ?? taking.refusal} />
        <div class="actions">
          <button type="button" class="button quiet" onClick={onClose}>
            {TEXTS.close}
          </button>
          <button
            type="button"
            class="button quiet"
            aria-disabled={isBusy}
            onClick={() => username.trim() !== "" && void taking.submit()}
          >
            {texts.take}
          </button>
          <button type="submit" class="button" aria-disabled={isBusy}>
            {texts.act}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
