import { Loaded } from "../../components/loaded.tsx";
import { Panel } from "../../console/panel.tsx";
import { formatSaid } from "../../formats/dates.ts";
import { useRead } from "../../site/read.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";

type Props = { streamId: string; userId: string; messageId: string };

/** What else the author said in the room lately, for whoever decides about one message. */
export function ChatPanel({ streamId, userId, messageId }: Props) {
  const { reports } = STAFF_TEXTS;
  const member = useRead("getChatMember", { path: { stream_id: streamId, user_id: userId } });
  return (
    <Panel title={reports.chat}>
      <Loaded read={member} missing={<p class="quiet">{reports.noChat}</p>}>
        {({ messages }) =>
          messages.length === 0 ? (
            <p class="quiet">{reports.noChat}</p>
          ) : (
            <ol class="said">
              {messages.map(({ uuid, timestamp, content, is_deleted }) => (
                <li key={uuid} aria-current={uuid === messageId ? "true" : undefined}>
                  <time class="quiet">{formatSaid(new Date(timestamp).toISOString())}</time>{" "}
                  <bdi dir="auto">{content}</bdi>
                  {is_deleted && <span class="quiet"> ({reports.deletedMessage})</span>}
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Panel>
  );
}
