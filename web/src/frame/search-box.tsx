import { Search } from "lucide";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Avatar, nameOf } from "../components/avatar.tsx";
import { Icon } from "../components/icon.tsx";
import { type Schemas, to } from "../site/page-data.ts";
import { client } from "../site/session.ts";
import { mayLeave } from "../site/unsaved.ts";
import { TEXTS } from "../texts/texts.ts";

/** Suggestions are asked for when the typing pauses. */
const PAUSE_MS = 200;
const LONGEST = 100;

type Suggestion = {
  key: string;
  href: string;
  name: string;
  note: string | null;
  user: Schemas["UserSummary"] | null;
};

/** The field of the search with suggestions: a combobox, so that the arrow keys choose one. */
export function SearchBox() {
  const { route, query: asked, path } = useLocation();
  const [text, setText] = useState("");
  const [suggestions, suggest] = useState<readonly Suggestion[]>([]);
  // By its key: an answer that comes later may have it at another place.
  const [chosenKey, choose] = useState<string | null>(null);
  const chosen = suggestions.findIndex(({ key }) => key === chosenKey);
  const [isOpen, setOpen] = useState(false);
  const list = useId();
  const form = useRef<HTMLFormElement>(null);
  const { frame, search } = TEXTS;

  useEffect(() => {
    setText(path === to("/search") ? (asked.q ?? "") : "");
    setOpen(false);
  }, [path, asked.q]);

  useEffect(() => {
    const query = text.trim();
    if (query === "" || !isOpen) return suggest([]);
    const ended = new AbortController();
    const pause = setTimeout(async () => {
      const found = await suggestionsFor(query, ended.signal);
      if (!ended.signal.aborted) suggest(found);
    }, PAUSE_MS);
    return () => {
      clearTimeout(pause);
      ended.abort();
    };
  }, [text, isOpen]);

  const go = (href: string): void => {
    setOpen(false);
    if (mayLeave(href)) route(href);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const suggestion = suggestions[chosen];
    const query = text.trim();
    if (suggestion) go(suggestion.href);
    else if (query !== "") go(`${to("/search")}?q=${encodeURIComponent(query)}`);
  };
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") setOpen(false);
    if (step === undefined || suggestions.length === 0) return;
    event.preventDefault();
    const count = suggestions.length + 1;
    // One place before the first is the text itself.
    choose(suggestions[((chosen + 1 + step + count) % count) - 1]?.key ?? null);
  };
  const leave = ({ relatedTarget }: FocusEvent): void => {
    if (!(relatedTarget instanceof Node && form.current?.contains(relatedTarget))) setOpen(false);
  };
  const isShown = isOpen && suggestions.length > 0;
  return (
    <search class="search">
      <form ref={form} onSubmit={submit} onFocusOut={leave}>
        <input
          type="text"
          inputMode="search"
          role="combobox"
          value={text}
          maxLength={LONGEST}
          placeholder={frame.search}
          aria-label={frame.searchFor}
          aria-expanded={isShown}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={chosen === -1 ? undefined : `${list}-${chosen}`}
          autoComplete="off"
          onInput={(event) => {
            setText(event.currentTarget.value);
            choose(null);
            setOpen(true);
          }}
          onKeyDown={move}
        />
        <button type="submit" aria-label={frame.search}>
          <Icon of={Search} />
        </button>
        <div id={list} role="listbox" aria-label={search.suggestions} class="suggestions" hidden={!isShown}>
          {suggestions.map(({ key, href, name, note, user }, index) => (
            <a
              key={key}
              id={`${list}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              href={href}
              onClick={() => setOpen(false)}
            >
              {user && <Avatar user={user} />}
              <bdi>{name}</bdi>
              {note !== null && <span class="quiet">{note}</span>}
            </a>
          ))}
        </div>
      </form>
    </search>
  );
}

/** Empty where there is no answer: the search itself says why. */
async function suggestionsFor(query: string, signal: AbortSignal): Promise<Suggestion[]> {
  const answer = await client
    .attempt("listSearchSuggestions", { query: { q: query }, signal, retry: false })
    .catch(() => null);
  if (!answer?.ok) return [];
  const { search, player } = TEXTS;
  return [
    ...answer.data.channels.map((user) => suggestionOf(user, user.is_live ? player.live : null)),
    ...answer.data.categories.map(({ id, slug, name }) => ({
      key: id,
      href: to(`/categories/${slug}`),
      name,
      note: search.categories,
      user: null,
    })),
  ];
}

const suggestionOf = (user: Schemas["UserSummary"], note: string | null): Suggestion => ({
  key: user.id,
  href: to(user.username),
  name: nameOf(user),
  note,
  user,
});
