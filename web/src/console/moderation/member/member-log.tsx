import type { Schemas } from "../../../site/page-data.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { ActionRow } from "../log/action-row.tsx";

/** What moderators did about a user here, newest first. */
export function MemberLog({ actions }: { actions: readonly Schemas["ModerationAction"][] }) {
  const texts = CONSOLE_TEXTS.moderation.card;
  return (
    <section aria-label={texts.actions}>
      <h3>{texts.actions}</h3>
      {actions.length === 0 ? (
        <p class="quiet">{texts.noActions}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by the keyboard
        <ul class="rows log-rows" tabIndex={0} aria-label={texts.actions}>
          {actions.map((action) => (
            <ActionRow key={action.id} action={action} isOfMember />
          ))}
        </ul>
      )}
    </section>
  );
}
