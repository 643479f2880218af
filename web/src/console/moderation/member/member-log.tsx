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
        <ul class="rows log-rows">
          {actions.map((action) => (
            <ActionRow key={action.id} action={action} isOfMember />
          ))}
        </ul>
      )}
    </section>
  );
}
