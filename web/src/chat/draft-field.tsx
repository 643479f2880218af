import { useId, useState } from "preact/hooks";
import { TEXTS } from "../texts/texts.ts";
import { type Known, type Suggestion, suggestionsFor } from "./completion.ts";
import { type FieldProps, MessageInput } from "./message-input.tsx";

type Props = FieldProps & {
  onEscape: () => void;
  /** What drafts are completed from, when one is to be completed. */
  known: () => Known;
};

/** The input for a message. What is typed after `/`, `@` or `:` is completed from a list. */
export function DraftField({ onEscape, known, ...field }: Props) {
  const { input, text, onText } = field;
  const id = useId();
  const [suggestions, suggest] = useState<readonly Suggestion[]>([]);
  const [chosen, choose] = useState(0);
  const isOpen = suggestions.length > 0;

  const look = (): void => {
    const field = input.current;
    const isCaret = field !== null && field.selectionStart === field.selectionEnd;
    suggest(isCaret ? suggestionsFor(field.value, field.selectionStart ?? 0, known()) : []);
    choose(0);
  };
  const take = ({ from, to, text: completed }: Suggestion): void => {
    const field = input.current;
    if (!field) return;
    field.setRangeText(completed, from, to, "end");
    onText(field.value);
    field.focus();
    look();
  };
  const act = (event: KeyboardEvent): void => {
    const { key } = event;
    if (key === "Escape" && !isOpen) onEscape();
    const suggestion = suggestions[chosen];
    if (!isOpen || !suggestion || event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step !== undefined) choose((chosen + step + suggestions.length) % suggestions.length);
    else if (key === "Escape") suggest([]);
    else if (key === "Tab" || (key === "Enter" && isUnfinished(suggestion, text))) take(suggestion);
    else return;
    event.preventDefault();
  };
  return (
    <div class="draft">
      <div
        id={`${id}-list`}
        class="completion"
        role="listbox"
        aria-label={TEXTS.composer.suggestions}
        hidden={!isOpen}
      >
        {suggestions.map((suggestion, place) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys
          <div
            key={suggestion.id}
            id={`${id}-${place}`}
            role="option"
            tabIndex={-1}
            aria-selected={place === chosen}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(suggestion)}
          >
            {suggestion.picture !== null && <img class="emote" src={suggestion.picture} alt="" />}
            <b>{suggestion.label}</b>
            <span class="quiet">{suggestion.hint}</span>
          </div>
        ))}
      </div>
      <MessageInput
        {...field}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen ? `${id}-${chosen}` : undefined}
        autoComplete="off"
        onText={(typed) => {
          onText(typed);
          look();
        }}
        onKeyDown={act}
        onBlur={() => suggest([])}
      />
    </div>
  );
}

/** A command that is typed already is sent; everything else is completed first. */
const isUnfinished = ({ from, to, text }: Suggestion, draft: string): boolean =>
  draft.slice(from, to).toLowerCase() !== text.trim().toLowerCase();
