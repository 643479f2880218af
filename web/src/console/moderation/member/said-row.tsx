import { Trash2 } from "lucide";
import { MessageText } from "../../../chat/message-view.tsx";
import { Icon } from "../../../components/icon.tsx";
import { useOneAtATime } from "../../../components/one-at-a-time.ts";
import { formatMoment, formatSaid } from "../../../formats/dates.ts";
import type { Schemas } from "../../../site/page-data.ts";
import { problemOf } from "../../../site/problems.ts";
import { client } from "../../../site/session.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { useDesk } from "../desk.ts";

type Props = {
  message: Schemas["ChatMessage"];
  report: (text: string, isProblem?: boolean) => void;
  onDeleted: () => void;
};

/** One message of a user, deleted whether or not another one is on its way. */
export function SaidRow({ message, report, onDeleted }: Props) {
  const texts = CONSOLE_TEXTS.moderation.card;
  const { streamId } = useDesk();
  const { isBusy, run } = useOneAtATime();
  const { uuid, created_at } = message;
  const remove = async (): Promise<void> => {
    try {
      await client.call("deleteChatMessage", { path: { stream_id: streamId, uuid } });
      report(TEXTS.userCard.deleted);
      onDeleted();
    } catch (err) {
      report(problemOf(err), true);
    }
  };
  return (
    <li>
      <time class="quiet" dateTime={created_at} title={formatMoment(created_at)}>
        {formatSaid(created_at)}
      </time>{" "}
      {message.is_deleted ? (
        <i class="quiet">{TEXTS.chat.deleted}</i>
      ) : (
        <>
          <MessageText message={message} />
          <button
            type="button"
            class="delete"
            aria-label={texts.deleteMessage}
            title={texts.deleteMessage}
            aria-disabled={isBusy}
            onClick={() => void run(remove)}
          >
            <Icon of={Trash2} />
          </button>
        </>
      )}
    </li>
  );
}
