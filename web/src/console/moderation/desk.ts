import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ActProps } from "./acts/reason.ts";

export type Target = { id: string; username: string };

/** What is in force of what is asked for, and who says what came of it. */
export type Known = Pick<ActProps, "reason" | "until" | "onDone">;

/** What the desk's panels share. */
export type Desk = {
  streamId: string;
  owner: Target;
  role: "owner" | "staff" | "moderator";
  openCard(user: Target): void;
  askTimeout(user: Target, known?: Known): void;
  askBan(user: Target, known?: Known): void;
};

export const DeskContext = createContext<Desk | null>(null);

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (!desk) throw new Error("a panel of the moderators' desk stands elsewhere");
  return desk;
}
