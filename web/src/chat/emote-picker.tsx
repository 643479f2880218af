import type { components } from "@livecore/client";
import { Lock } from "lucide";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { say } from "../site/toasts.ts";
import { TEXTS } from "../texts/texts.ts";
import type { EmoteSets } from "./emote-sets.ts";

type Emote = components["schemas"]["ChatEmote"];
type Props = {
  sets: EmoteSets;
  onPick: (name: string) => void;
  onClose: () => void;
  /** By the keyboard: the focus goes back to where one writes. */
  onLeave: () => void;
};

/** Emotes to choose from, the channel's own first. Arrows move in the grid, Escape closes it. */
export function EmotePicker({ sets, onPick, onClose, onLeave }: Props) {
  const [query, setQuery] = useState("");
  const whole = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const id = useId();
  const { composer } = TEXTS;
  useEffect(() => {
    sets.need();
    void sets.needTier();
    search.current?.focus();
  }, [sets]);
  useEffect(() => {
    const ended = new AbortController();
    addEventListener(
      "pointerdown",
      ({ target }) => {
        if (!(target instanceof Element) || target.closest(".emote-picker, .emotes-of")) return;
        onClose();
      },
      { signal: ended.signal },
    );
    return () => ended.abort();
  }, [onClose]);

  const emotes = sets.emotes.value;
  const wanted = (all: readonly Emote[]) =>
    all.filter(({ name }) => name.toLowerCase().includes(query.trim().toLowerCase()));
  const channel = wanted(emotes?.channel ?? []);
  const global = wanted(emotes?.global ?? []);
  const isNothing = channel.length + global.length === 0;
  const pick = (emote: Emote): void => {
    if (sets.isLocked(emote)) say(composer.emoteOfTier(emote.name, emote.min_tier ?? 0));
    else onPick(emote.name);
  };
  const move = (event: KeyboardEvent): void => {
    const [first] = [...channel, ...global];
    const isSearch = event.target === search.current;
    if (event.key === "Escape") {
      onClose();
      onLeave();
    } else if (event.key === "Enter" && isSearch) {
      // The form around it isn't sent.
      if (first && query !== "") pick(first);
    } else if (!whole.current || !moveInGrid(event.key, whole.current)) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="emote-picker" ref={whole} role="dialog" aria-label={composer.emotes} onKeyDown={move}>
      <label class="aloud" htmlFor={id}>
        {composer.searchEmotes}
      </label>
      <input
        ref={search}
        id={id}
        type="search"
        autoComplete="off"
        value={query}
        placeholder={composer.searchEmotes}
        onInput={({ currentTarget }) => setQuery(currentTarget.value)}
      />
      <div class="sets">
        {emotes === undefined && <p class="quiet">{TEXTS.loading}</p>}
        {emotes === null && (
          <p role="alert">
            {composer.noEmotes}{" "}
            <button type="button" class="link" onClick={() => sets.need()}>
              {TEXTS.tryAgain}
            </button>
          </p>
        )}
        {emotes && isNothing && (
          <p class="quiet">{query === "" ? composer.emptyEmotes : composer.noSuchEmote}</p>
        )}
        <Group title={composer.channelEmotes} emotes={channel} isLocked={sets.isLocked} onPick={pick} />
        <Group title={composer.globalEmotes} emotes={global} isLocked={sets.isLocked} onPick={pick} />
      </div>
    </div>
  );
}

type GroupProps = {
  title: string;
  emotes: readonly Emote[];
  isLocked: (emote: Emote) => boolean;
  onPick: (emote: Emote) => void;
};

function Group({ title, emotes, isLocked, onPick }: GroupProps) {
  if (emotes.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {emotes.map((emote) => {
          const { id, name, url, min_tier = 0 } = emote;
          const locked = isLocked(emote);
          const label = locked ? TEXTS.composer.emoteOfTier(name, min_tier) : name;
          return (
            <li key={id}>
              <button
                type="button"
                title={label}
                aria-label={label}
                aria-disabled={locked}
                onClick={() => onPick(emote)}
              >
                <img src={url} alt="" loading="lazy" width="28" height="28" />
                {locked && <Icon of={Lock} />}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Returns whether the key was one for it. */
function moveInGrid(key: string, picker: HTMLElement): boolean {
  const buttons = [...picker.querySelectorAll<HTMLElement>(".sets li button")];
  const { activeElement } = document;
  const place = activeElement instanceof HTMLElement ? buttons.indexOf(activeElement) : -1;
  const next = place === -1 ? (key === "ArrowDown" ? 0 : null) : placeAfter(key, place, buttons);
  if (next === null) return false;
  if (next < 0) picker.querySelector<HTMLElement>("input")?.focus();
  else buttons[Math.min(next, buttons.length - 1)]?.focus();
  return true;
}

function placeAfter(key: string, place: number, buttons: readonly HTMLElement[]): number | null {
  const rowOf = (at: number) => buttons[at]?.getBoundingClientRect().top;
  const columns = Math.max(1, buttons.filter((_, at) => rowOf(at) === rowOf(0)).length);
  const steps: Record<string, number> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: columns,
    ArrowUp: -columns,
  };
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return step === undefined ? null : place + step;
}
