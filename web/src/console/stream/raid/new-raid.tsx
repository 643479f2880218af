import { useState } from "preact/hooks";
import { Avatar, nameOf } from "../../../components/avatar.tsx";
import { Combobox } from "../../../components/combobox.tsx";
import { DialogForm } from "../../../components/dialog-form.tsx";
import { Field } from "../../../components/field.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { Problem } from "../../../site/problems.ts";
import { client, type Me } from "../../../site/session.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { type Target, useSuggestions } from "./suggestions.ts";

const LONGEST_MESSAGE = 200;

type Props = { user: Me; categoryId: string | null; onClose: () => void };

/** Which live channel the viewers go to, and what they say there. */
export function NewRaid({ user, categoryId, onClose }: Props) {
  const texts = CONSOLE_TEXTS.stream.raid;
  const [text, setText] = useState("");
  const [target, choose] = useState<Target | null>(null);
  const [message, setMessage] = useState("");
  const submission = useSubmit(async () => {
    if (!target) throw new Problem(texts.chooseFirst);
    const said = message.trim() === "" ? {} : { message };
    await client.call("createRaid", { body: { target_user_id: target.id, ...said } });
    onClose();
  });
  const take = (one: Target): void => {
    choose(one);
    setText(nameOf(one));
    submission.reset();
  };
  return (
    <DialogForm title={texts.make} submission={submission} go={texts.go} onClose={onClose}>
      <Combobox
        label={texts.channel}
        hint={texts.channelHint}
        text={text}
        onText={(typed) => {
          setText(typed);
          choose(null);
        }}
        find={liveChannels}
        keyOf={({ id }) => id}
        onChoose={take}
        autoFocus
      >
        {(one) => <Named user={one} />}
      </Combobox>
      {target === null && <Suggestions user={user} categoryId={categoryId} onChoose={take} />}
      <Field
        name="message"
        label={texts.message}
        value={message}
        onValue={setMessage}
        hint={texts.messageHint}
        autoComplete="off"
        maxLength={LONGEST_MESSAGE}
      />
    </DialogForm>
  );
}

const Named = ({ user }: { user: Target }) => (
  <>
    <Avatar user={user} />
    <bdi>{nameOf(user)}</bdi>
  </>
);

type SuggestionsProps = Omit<Props, "onClose"> & { onChoose: (target: Target) => void };

function Suggestions({ user, categoryId, onChoose }: SuggestionsProps) {
  const texts = CONSOLE_TEXTS.stream.raid;
  const suggestions = useSuggestions(user, categoryId);
  if (suggestions === null) return <p class="quiet">{TEXTS.loading}</p>;
  if (suggestions.length === 0) return <p class="quiet">{texts.noSuggestions}</p>;
  return (
    <fieldset class="plain suggested">
      <legend>{texts.suggestions}</legend>
      <ul>
        {suggestions.map(({ user, viewers, why }) => (
          <li key={user.id}>
            <button type="button" onClick={() => onChoose(user)}>
              <Named user={user} />
              <span class="quiet">{`${texts.why[why]} · ${TEXTS.viewers(viewers)}`}</span>
            </button>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

/** Empty where there is no answer: the next letter asks again. */
async function liveChannels(text: string, signal: AbortSignal): Promise<readonly Target[]> {
  if (text === "") return [];
  const found = await client
    .attempt("listSearchSuggestions", { query: { q: text }, signal, retry: false })
    .catch(() => null);
  return found?.ok ? found.data.channels.filter(({ is_live }) => is_live) : [];
}
