import { Loaded } from "../../components/loaded.tsx";
import { useRead } from "../../site/read.ts";
import { ConsolePage } from "../console-page.tsx";
import { AutoHost } from "./auto-host.tsx";
import { Hosting } from "./hosting.tsx";
import { RaidSettings } from "./raid-settings.tsx";

/** Whose raids arrive, and whom the channel shows while it is offline. */
export const RaidsConsole = () => (
  <ConsolePage section="raids">{({ username }) => <Raids username={username} />}</ConsolePage>
);

function Raids({ username }: { username: string }) {
  const settings = useRead("getRaidSettings", {});
  const list = useRead("getAutoHost", {});
  return (
    <div class="panels">
      <Loaded read={settings}>{(known) => <RaidSettings known={known} />}</Loaded>
      <div class="column">
        <Hosting username={username} />
        <Loaded read={list}>{({ users }) => <AutoHost known={users} />}</Loaded>
      </div>
    </div>
  );
}
