import { Plus, X } from "lucide";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../../components/icon.tsx";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";

type Props = {
  legend: string;
  /** Of the field with that number, from 1. */
  label: (no: number) => string;
  choices: readonly string[];
  onChoices: (choices: string[]) => void;
  least: number;
  most: number;
  longest: number;
};

/** The answers of a prediction or a poll: a field for each, with buttons for more and fewer. */
export function ChoiceFields({ legend, label, choices, onChoices, least, most, longest }: Props) {
  const texts = CONSOLE_TEXTS.stream.questions;
  const fields = useRef<HTMLFieldSetElement>(null);
  const before = useRef(choices.length);
  // A new field is to be filled in; of a removed one the button had the focus.
  useLayoutEffect(() => {
    if (choices.length !== before.current) {
      const inputs = fields.current?.querySelectorAll("input");
      inputs?.item(inputs.length - 1).focus();
    }
    before.current = choices.length;
  }, [choices.length]);
  return (
    <fieldset class="plain choices-of" ref={fields}>
      <legend>{legend}</legend>
      {choices.map((choice, place) => (
        <div key={place} class="choice">
          <input
            type="text"
            aria-label={label(place + 1)}
            placeholder={label(place + 1)}
            value={choice}
            maxLength={longest}
            autoComplete="off"
            required
            dir="auto"
            onInput={({ currentTarget }) =>
              onChoices(choices.map((one, at) => (at === place ? currentTarget.value : one)))
            }
          />
          {choices.length > least && (
            <button
              type="button"
              class="button quiet"
              aria-label={texts.remove(label(place + 1))}
              onClick={() => onChoices(choices.filter((_, at) => at !== place))}
            >
              <Icon of={X} />
            </button>
          )}
        </div>
      ))}
      {choices.length < most && (
        <button type="button" class="button quiet" onClick={() => onChoices([...choices, ""])}>
          <Icon of={Plus} />
          {texts.add}
        </button>
      )}
    </fieldset>
  );
}
