import { useEffect, useState } from "preact/hooks";

/** As channel.css has it. */
const NARROW = "(max-width: 52rem) and (orientation: portrait)";

/** Whether there is no room for a chat beside a player: on phones held upright, and small tablets. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const look = () => setNarrow(query.matches);
    query.addEventListener("change", look);
    return () => query.removeEventListener("change", look);
  }, []);
  return isNarrow;
}
