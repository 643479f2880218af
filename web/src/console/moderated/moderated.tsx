import { deskPath } from "../../channels/desk-path.ts";
import { Avatar, nameOf } from "../../components/avatar.tsx";
import { PagedRows } from "../../components/paged-rows.tsx";
import { to } from "../../site/page-data.ts";
import { usePagedBy } from "../../site/paged.tsx";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { ConsolePage } from "../console-page.tsx";
import { Panel } from "../panel.tsx";

/** The channels of others that one moderates, live ones first, each with the way to its desk. */
export const ModeratedConsole = () => (
  <ConsolePage section="moderated">{() => <ModeratedChannels />}</ConsolePage>
);

function ModeratedChannels() {
  const texts = CONSOLE_TEXTS.moderation.moderated;
  const channels = usePagedBy("listModeratedChannels", {}, ({ stream_id }) => stream_id);
  return (
    <Panel title={texts.title}>
      <PagedRows pages={channels} empty={texts.empty}>
        {({ channel, stream_id, is_live, viewer_count, title }) => (
          <li key={stream_id}>
            <Avatar user={channel} />
            <span class="what">
              <a href={to(channel.username)}>
                <bdi>{nameOf(channel)}</bdi>
              </a>
              <span class="quiet">
                {is_live ? (
                  <>
                    {texts.live(viewer_count)}
                    {title !== "" && (
                      <>
                        {" · "}
                        <bdi>{title}</bdi>
                      </>
                    )}
                  </>
                ) : (
                  texts.offline
                )}
              </span>
            </span>
            <a
              class="button quiet"
              href={to(deskPath(channel.username))}
              aria-label={TEXTS.moderationDesk.openFor(nameOf(channel))}
            >
              {TEXTS.moderationDesk.link}
            </a>
          </li>
        )}
      </PagedRows>
    </Panel>
  );
}
