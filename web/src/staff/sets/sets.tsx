import { StaffPage } from "../staff-page.tsx";
import { GlobalBadges } from "./global-badges.tsx";
import { GlobalEmotes } from "./global-emotes.tsx";
import "../../console/emotes/emotes.css";

/** Badges and emotes of all chats. */
export const StaffSets = () => (
  <StaffPage section="sets">
    {() => (
      <div class="panels">
        <GlobalBadges />
        <GlobalEmotes />
      </div>
    )}
  </StaffPage>
);
