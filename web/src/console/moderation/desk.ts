import { createContext } from "preact";
import { useContext } from "preact/hooks";

export type Target = { id: string; username: string };

/** Opens a question before an act on a user. `onDone` says what came of it; a toast by default. */
export type Ask = (user: Target, onDone?: (text: string) => void) => void;

/** What the desk's panels share. */
export type Desk = {
  streamId: string;
  owner: Target;
  role: "owner" | "staff" | "moderator";
  openCard(user: Target): void;
  askTimeout: Ask;
  askUntimeout: Ask;
  askBan: Ask;
  askUnban: Ask;
};

export const DeskContext = createContext<Desk | null>(null);

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (!desk) throw new Error("a panel of the moderators' desk stands elsewhere");
  return desk;
}
