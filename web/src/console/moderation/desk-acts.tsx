import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { laterDialog } from "../../components/later.tsx";
import type { BanDialog as Ban } from "./acts/ban-dialog.tsx";
import type { EndDialog as End } from "./acts/end-dialog.tsx";
import type { TimeoutDialog as Timeout } from "./acts/timeout-dialog.tsx";
import { type Ask, type Desk, DeskContext, type Target } from "./desk.ts";
import type { MemberCard as Card } from "./member/member-card.tsx";

const TimeoutDialog = laterDialog<Parameters<typeof Timeout>[0]>(
  async () => (await import("./acts/timeout-dialog.tsx")).TimeoutDialog,
);
const BanDialog = laterDialog<Parameters<typeof Ban>[0]>(
  async () => (await import("./acts/ban-dialog.tsx")).BanDialog,
);
const EndDialog = laterDialog<Parameters<typeof End>[0]>(
  async () => (await import("./acts/end-dialog.tsx")).EndDialog,
);
const MemberCard = laterDialog<Parameters<typeof Card>[0]>(
  async () => (await import("./member/member-card.tsx")).MemberCard,
);

type Props = Pick<Desk, "streamId" | "owner" | "role"> & { children: ComponentChildren };
type Act = "timeout" | "untimeout" | "ban" | "unban";
type Asked = { act: Act; user: Target; onDone?: (text: string) => void };

/** What every panel of the desk may open: a member's card, and the questions before a timeout, a ban, and their end. */
export function DeskActs({ streamId, owner, role, children }: Props) {
  const [card, openCard] = useState<Target | null>(null);
  const [asked, ask] = useState<Asked | null>(null);
  const asking =
    (act: Act): Ask =>
    (user, onDone) =>
      ask({ act, user, ...(onDone && { onDone }) });
  const desk = useMemo<Desk>(
    () => ({
      streamId,
      owner,
      role,
      openCard,
      askTimeout: asking("timeout"),
      askUntimeout: asking("untimeout"),
      askBan: asking("ban"),
      askUnban: asking("unban"),
    }),
    [streamId, role],
  );
  const act = asked?.act;
  const question = asked && { ...asked, streamId, onClose: () => ask(null) };
  return (
    <DeskContext.Provider value={desk}>
      {children}
      {card && <MemberCard key={card.id} user={card} onClose={() => openCard(null)} />}
      {question && act === "timeout" && <TimeoutDialog {...question} />}
      {question && act === "ban" && <BanDialog {...question} />}
      {question && (act === "unban" || act === "untimeout") && (
        <EndDialog {...question} isBan={act === "unban"} />
      )}
    </DeskContext.Provider>
  );
}
