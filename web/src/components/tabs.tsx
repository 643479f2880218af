type Props<Id extends string> = {
  label: string;
  tabs: readonly { id: Id; text: string }[];
  chosen: Id;
  onChoose: (id: Id) => void;
};

/** One of several panels, whose ids are `panel-` and the tab's. Arrows move between the tabs. */
export function Tabs<Id extends string>({ label, tabs, chosen, onChoose }: Props<Id>) {
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const place = tabs.findIndex(({ id }) => id === chosen);
    const next = tabs[(place + step + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    onChoose(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map(({ id, text }) => (
        <button
          key={id}
          id={`tab-${id}`}
          type="button"
          role="tab"
          aria-selected={id === chosen}
          aria-controls={`panel-${id}`}
          tabIndex={id === chosen ? 0 : -1}
          onClick={() => onChoose(id)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
