import { Loaded } from "../../components/loaded.tsx";
import { useRead } from "../../site/read.ts";
import { ConsolePage } from "../console-page.tsx";
import { RoleList } from "./role-list.tsx";

/** Who helps in the channel, and who has privileges in its chat. */
export const RolesConsole = () => <ConsolePage section="roles">{() => <Roles />}</ConsolePage>;

function Roles() {
  const stream = useRead("getMyStream", {});
  return (
    <Loaded read={stream}>
      {({ id }) => (
        <div class="panels">
          <RoleList streamId={id} list="moderators" />
          <RoleList streamId={id} list="vips" />
        </div>
      )}
    </Loaded>
  );
}
