import { useContext } from "preact/hooks";
import { DeskElement, useDeskKeys } from "./desk-keys.ts";

/** Which panel a key gives the focus to: to the row that its keys act on, if it has rows. */
const PLACES: Readonly<Record<string, string>> = { c: ".talk .log", h: ".held", r: ".unbans" };

export function useJumpKeys(): void {
  const desk = useContext(DeskElement);
  const to = (place: string) => (): void => {
    const panel = desk.current?.querySelector<HTMLElement>(place);
    const target = panel?.querySelector<HTMLElement>('[data-id][tabindex="0"]') ?? panel;
    target?.focus();
  };
  useDeskKeys(Object.fromEntries(Object.entries(PLACES).map(([key, place]) => [key, to(place)])));
}
