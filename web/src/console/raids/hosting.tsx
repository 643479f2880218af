import { LivecoreError } from "@livecore/client";
import { useState } from "preact/hooks";
import { ChannelLink } from "../../components/channel-link.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { useSubmit } from "../../components/use-submit.ts";
import { Problem, problemOf } from "../../site/problems.ts";
import { useRead } from "../../site/read.ts";
import { client } from "../../site/session.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { AddUser } from "../add-user.tsx";
import { Panel } from "../panel.tsx";

/** Whom the channel shows now. */
export function Hosting({ username }: { username: string }) {
  const texts = CONSOLE_TEXTS.raids;
  const read = useRead("getHosting", { path: { username } });
  /** By this page, since it was read. */
  const [isStopped, setStopped] = useState(false);
  const { isBusy, refusal, submit } = useSubmit(async () => {
    await client.call("unhostChannel");
    setStopped(true);
  });
  return (
    <Panel title={texts.hosting}>
      <p class="quiet">{texts.hostingHint}</p>
      <Loaded read={read} missing={<p>{texts.hostsNobody}</p>}>
        {({ target_user: target }) =>
          isStopped ? (
            <p>{texts.hostsNobody}</p>
          ) : (
            <p class="hosted">
              <span>
                {texts.hosts}{" "}
                <ChannelLink channel={{ ...target, username_title: null }} gone={target.username} />
              </span>
              <button type="button" class="button quiet" aria-disabled={isBusy} onClick={() => void submit()}>
                {texts.stop}
              </button>
            </p>
          )
        }
      </Loaded>
      {refusal !== null && (
        <p class="fault" role="alert">
          {problemOf(refusal)}
        </p>
      )}
      <AddUser
        label={texts.hostOf}
        go={texts.host}
        onUser={async (user) => {
          try {
            await client.call("hostChannel", { body: { target_user_id: user.id } });
          } catch (err) {
            throw err instanceof LivecoreError && err.code === "target_offline"
              ? new Problem(texts.offline)
              : err;
          }
          setStopped(false);
          read.again();
        }}
      />
    </Panel>
  );
}
