import { useState } from "preact/hooks";
import { useOneAtATime } from "../../components/one-at-a-time.ts";
import { problemOf } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";

type Action = "fulfil" | "refund";
export type Decisions = {
  selected: ReadonlySet<string>;
  isBusy: boolean;
  select(ids: readonly string[], isSelected: boolean): void;
  decide(ids: readonly string[], action: Action): Promise<void>;
};

/** As many as one request decides. */
const MOST_AT_ONCE = 50;
const DECIDED = { fulfil: "fulfilled", refund: "refunded" } as const;

/** The selection in a queue of redemptions, and what decides them. `onDecided`: with those that don't wait any more. */
export function useDecisions(onDecided: (ids: ReadonlySet<string>) => void): Decisions {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { isBusy, run } = useOneAtATime();
  const select = (ids: readonly string[], isSelected: boolean): void =>
    setSelected((before) => {
      const after = new Set(before);
      for (const id of ids)
        if (isSelected) after.add(id);
        else after.delete(id);
      return after;
    });

  async function decideSome(ids: readonly string[], action: Action) {
    const { items } = await client.call("decideRedemptions", { body: { ids: [...ids], action } });
    const settled = items.filter(({ status }) => status !== "pending").map(({ id }) => id);
    onDecided(new Set(settled));
    select(settled, false);
    return { settled: settled.length, done: items.filter(({ error }) => error === undefined).length };
  }

  return {
    selected,
    isBusy,
    select,
    async decide(ids, action) {
      await run(async () => {
        const texts = CONSOLE_TEXTS.rewards;
        const total = { settled: 0, done: 0 };
        try {
          for (let from = 0; from < ids.length; from += MOST_AT_ONCE) {
            const { settled, done } = await decideSome(ids.slice(from, from + MOST_AT_ONCE), action);
            total.settled += settled;
            total.done += done;
          }
        } catch (err) {
          say(problemOf(err), { isProblem: true });
        }
        if (total.done > 0) say(texts[DECIDED[action]](total.done));
        if (total.settled > total.done) say(texts.decidedElsewhere(total.settled - total.done));
      });
    },
  };
}
