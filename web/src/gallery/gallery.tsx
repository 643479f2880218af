import { useTitle } from "../site/navigation.ts";
import { AccountShelf } from "./account.tsx";
import { CardShelf } from "./cards.tsx";
import { ChatShelf } from "./chat.tsx";
import { DialogShelf } from "./dialogs.tsx";
import { FormShelf } from "./forms.tsx";
import { PointsShelf } from "./points.tsx";
import { StateShelf } from "./states.tsx";
import { WatchingShelf } from "./watching.tsx";
import "./gallery.css";

/**
 * Every component in every state, with names as long as they get and texts that would do harm. In development alone: for those who
 * change one, and for the spec that looks at each.
 */
export function Gallery() {
  useTitle("Gallery");
  return (
    <div class="gallery">
      <h1>Gallery</h1>
      <FormShelf />
      <StateShelf />
      <CardShelf />
      <ChatShelf />
      <PointsShelf />
      <WatchingShelf />
      <AccountShelf />
      <DialogShelf />
    </div>
  );
}
