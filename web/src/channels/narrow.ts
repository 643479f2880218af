import { useMedia } from "../components/use-media.ts";

/** As channel.css has it. */
const NARROW = "(max-width: 52rem) and (orientation: portrait)";

/** Whether there is no room for a chat beside a player: on phones held upright, and small tablets. */
export const useNarrow = (): boolean => useMedia(NARROW);
