import { useState } from "preact/hooks";
import { Loaded } from "../../components/loaded.tsx";
import { RemovalDialog } from "../../components/removal-dialog.tsx";
import type { Schemas } from "../../site/page-data.ts";
import type { Read } from "../../site/read.ts";
import { client } from "../../site/session.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { Panel } from "../panel.tsx";
import { RewardForm } from "./reward-form.tsx";
import { RewardRow } from "./reward-row.tsx";

type Reward = Schemas["ChannelReward"];
/** What stands above the list. */
type Open = { form: Reward | null } | { removal: Reward };

/** The channel's rewards, cheapest first, and what changes them. */
export function RewardList({ read }: { read: Read<{ items: Reward[] }> }) {
  const texts = CONSOLE_TEXTS.rewards;
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  const saved = (): void => {
    close();
    read.again();
  };
  return (
    <Panel
      title={texts.rewards}
      aside={
        <button type="button" class="button" onClick={() => setOpen({ form: null })}>
          {texts.add}
        </button>
      }
    >
      <p class="quiet">{texts.hint}</p>
      <Loaded read={read}>
        {({ items }) =>
          items.length === 0 ? (
            <p>{texts.none}</p>
          ) : (
            <ul class="rows">
              {items.map((reward) => (
                <RewardRow
                  key={reward.id}
                  reward={reward}
                  onChanged={read.again}
                  onEdit={() => setOpen({ form: reward })}
                  onRemove={() => setOpen({ removal: reward })}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {open && "form" in open && <RewardForm reward={open.form} onSaved={saved} onClose={close} />}
      {open && "removal" in open && (
        <RemovalDialog
          title={texts.removeTitle(open.removal.title)}
          hint={texts.removeHint}
          go={texts.remove}
          said={texts.removed(open.removal.title)}
          remove={() => client.call("deleteReward", { path: { reward_id: open.removal.id } })}
          onRemoved={read.again}
          onClose={close}
        />
      )}
    </Panel>
  );
}
