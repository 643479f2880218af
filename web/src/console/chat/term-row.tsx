import type { Schemas } from "../../site/page-data.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { ACTIONS } from "./actions.ts";

type Props = {
  term: Schemas["ChatBlockedTerm"];
  isBusy: boolean;
  onAction: (action: Schemas["BlockedTermAction"]) => void;
  onRemove: () => void;
};

/** A blocked term and what it does. */
export function TermRow({ term, isBusy, onAction, onRemove }: Props) {
  const texts = CONSOLE_TEXTS.chat;
  return (
    <li>
      <span class="what">
        <bdi>{term.term}</bdi>
        {term.is_regex && <span class="quiet">{texts.regex}</span>}
      </span>
      <select
        aria-label={texts.actionOf(term.term)}
        value={term.action}
        onChange={({ currentTarget }) => {
          const action = ACTIONS.find((one) => one === currentTarget.value) ?? term.action;
          // It shows what is so, until the service has answered.
          currentTarget.value = term.action;
          onAction(action);
        }}
      >
        {ACTIONS.map((one) => (
          <option key={one} value={one}>
            {texts.actions[one]}
          </option>
        ))}
      </select>
      <button
        type="button"
        class="button quiet"
        aria-disabled={isBusy}
        aria-label={texts.removeOf(term.term)}
        onClick={onRemove}
      >
        {texts.remove}
      </button>
    </li>
  );
}
