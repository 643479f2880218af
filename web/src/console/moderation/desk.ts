import { createContext } from "preact";
import { useContext } from "preact/hooks";

export type Target = { id: string; username: string };

/** What the desk's panels share. */
export type Desk = {
  streamId: string;
  owner: Target;
  role: "owner" | "staff" | "moderator";
  openCard(user: Target): void;
  askTimeout(user: Target, reason?: string): void;
  askBan(user: Target, reason?: string): void;
};

export const DeskContext = createContext<Desk | null>(null);

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (!desk) throw new Error("a panel of the moderators' desk stands elsewhere");
  return desk;
}
