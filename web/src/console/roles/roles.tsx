import { ConsolePage } from "../console-page.tsx";
import { OfOwnStream } from "../of-own-stream.tsx";
import { RoleList } from "./role-list.tsx";

/** Who helps in the channel, and who has privileges in its chat. */
export const RolesConsole = () => (
  <ConsolePage section="roles">
    {() => (
      <OfOwnStream>
        {(streamId) => (
          <div class="panels">
            <RoleList streamId={streamId} list="moderators" />
            <RoleList streamId={streamId} list="vips" />
          </div>
        )}
      </OfOwnStream>
    )}
  </ConsolePage>
);
