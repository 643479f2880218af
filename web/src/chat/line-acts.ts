import type { components } from "@livecore/client";
import type { ComponentChildren } from "preact";
import type { Lines } from "./lines.ts";

type ChatMessage = components["schemas"]["ChatMessage"];

/** What a list of lines does with presses and keys; embeds load none of it. */
export type LineActs = {
  click(target: EventTarget | null, lines: Lines): void;
  /** What the keyboard did in the log; null where the key isn't for it. */
  key(event: KeyboardEvent, log: HTMLElement, lines: Lines): "entered" | "left" | "moved" | "done" | null;
  /** Further buttons of a line, with `data-act`. */
  buttons?(message: ChatMessage): ComponentChildren;
  /**
   * Whether one works on line after line. They stand still while they are pointed at or have the focus, since the line that a press or a
   * key is aimed at must not move on, and follow the newest again once both have left them.
   */
  isForWork: boolean;
};

/** What every reader may do with a line. */
type Acts = {
  reply(message: ChatMessage): void;
  /** The card of its author; `from` gets the focus back. */
  card(message: ChatMessage, from: HTMLElement): void;
};

/** Acts on lines that a page adds, by buttons with `data-act` and by keys. */
export type LineTools = {
  buttons(message: ChatMessage): ComponentChildren;
  act(name: string, message: ChatMessage): void;
  /** Which act a key does on the line that has the focus. */
  keys: Readonly<Record<string, string>>;
  /** Keys that move as others do. */
  steps: Readonly<Record<string, string>>;
};

const ACTS = "[data-act]";

export function lineActs(acts: Acts, tools?: LineTools): LineActs {
  /** Does what a pressed button of a line is for. One handler serves all lines. */
  const click: LineActs["click"] = (target, lines) => {
    const button = target instanceof Element ? target.closest<HTMLElement>(ACTS) : null;
    const shown = button?.closest<HTMLElement>("[data-key]");
    const line = lines.all.findLast((one) => one.key === shown?.dataset.key);
    if (!button || line?.kind !== "message") return;
    const { act } = button.dataset;
    // Buttons are hidden while neither the pointer nor the focus is in their line: a dialog couldn't give the focus back to one.
    if (tools) shown?.querySelector<HTMLElement>("button.author")?.focus({ preventScroll: true });
    if (act === "reply") acts.reply(line.message);
    else if (act === "card") acts.card(line.message, button);
    else if (act) tools?.act(act, line.message);
  };
  return {
    click,
    key(event, log, lines) {
      if (event.ctrlKey || event.metaKey || event.altKey) return null;
      const button = tools ? buttonOfKey(event.key, tools) : null;
      // A held key repeats; an act is one press.
      if (button && !event.repeat) click(button, lines);
      const did = button ? "done" : moveByKey(event.key, log, tools);
      if (did !== null) event.preventDefault();
      return did;
    },
    ...(tools && { buttons: tools.buttons }),
    isForWork: tools !== undefined,
  };
}

/** The button that a key stands for, in the line that has the focus. */
function buttonOfKey(key: string, { keys }: LineTools): HTMLElement | null {
  const act = Object.hasOwn(keys, key) ? keys[key] : undefined;
  const line = document.activeElement?.closest("[data-key]");
  return (act && line?.querySelector<HTMLElement>(`[data-act="${act}"]`)) || null;
}

/** The keyboard's way through the lines, which aren't stops of the Tab key: there may be hundreds. */
function moveByKey(
  pressed: string,
  log: HTMLElement,
  tools: LineTools | undefined,
): "entered" | "left" | "moved" | null {
  const key = tools?.steps[pressed] ?? pressed;
  const { activeElement: at } = document;
  const authors = [...log.querySelectorAll<HTMLElement>("button.author")];
  if (at === log) {
    if (key !== "Enter" && !(tools && (key === "ArrowUp" || key === "ArrowDown"))) return null;
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
