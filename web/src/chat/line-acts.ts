import type { components } from "@livecore/client";
import type { Lines } from "./lines.ts";

type ChatMessage = components["schemas"]["ChatMessage"];

/** What a reader may do with the lines of a chat. */
export type LineActs = {
  reply(message: ChatMessage): void;
  /** The card of its author; `from` gets the focus back. */
  card(message: ChatMessage, from: HTMLElement): void;
};

const ACTS = "[data-act]";

/** Does what a pressed button of a line is for. One handler serves all lines. */
export function actOn(target: EventTarget | null, lines: Lines, acts: LineActs): void {
  const button = target instanceof Element ? target.closest<HTMLElement>(ACTS) : null;
  const key = button?.closest<HTMLElement>("[data-key]")?.dataset.key;
  const line = lines.all.findLast((one) => one.key === key);
  if (!button || line?.kind !== "message") return;
  if (button.dataset.act === "reply") acts.reply(line.message);
  else acts.card(line.message, button);
}

/** The keyboard's way through the lines, which aren't stops of the Tab key: there may be hundreds. */
export function moveByKey(key: string, log: HTMLElement): "entered" | "left" | "moved" | null {
  const { activeElement: at } = document;
  const authors = [...log.querySelectorAll<HTMLElement>("button.author")];
  if (at === log) {
    if (key !== "Enter") return null;
    authors.at(-1)?.focus();
    return "entered";
  }
  if (!(at instanceof HTMLElement) || !log.contains(at)) return null;
  if (key === "Escape") {
    log.focus();
    return "left";
  }
  const line = at.closest(".line");
  const place = authors.findIndex((author) => line?.contains(author));
  const own = line ? [...line.querySelectorAll<HTMLElement>(ACTS)].reverse() : [];
  const next: Record<string, HTMLElement | undefined> = {
    ArrowUp: authors[place - 1],
    ArrowDown: authors[place + 1],
    ArrowRight: own[own.indexOf(at) + 1],
    ArrowLeft: own[own.indexOf(at) - 1],
  };
  if (!Object.hasOwn(next, key)) return null;
  next[key]?.focus();
  return "moved";
}
