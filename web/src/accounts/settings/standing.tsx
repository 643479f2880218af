import { useState } from "preact/hooks";
import { Dialog } from "../../components/dialog.tsx";
import { SettingsPage } from "../../components/settings-page.tsx";
import { AppealForm, type AppealSubject } from "../../safety/appeal-form.tsx";
import { usePaged } from "../../site/paged.tsx";
import { say } from "../../site/toasts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { Appeals } from "./standing/appeals.tsx";
import { ChatBans } from "./standing/chat-bans.tsx";
import { Reports } from "./standing/reports.tsx";
import { Strikes } from "./standing/strikes.tsx";
import { useStaffActs } from "./standing/use-staff-acts.ts";
import "./standing.css";

/** What staff have done about the user, and what came of the user's appeals and reports. */
export const StandingSettings = () => <SettingsPage section="standing">{() => <Standing />}</SettingsPage>;

function Standing() {
  const { standing, appeal } = TEXTS;
  const strikes = usePaged("listMyStrikes", {});
  const bans = usePaged("listMyChatBans", {});
  const appeals = usePaged("listMyAppeals", {});
  const reports = usePaged("listMyReports", {});
  const [subject, setSubject] = useState<AppealSubject | null>(null);
  useStaffActs({
    warned() {
      strikes.again();
      bans.again();
    },
    appealDecided() {
      appeals.again();
      strikes.again();
      bans.again();
    },
    reportDecided: () => reports.again(),
  });
  const undecided = appeals.items.filter(({ decided_at }) => decided_at === null);
  const isAppealed = (one: AppealSubject): boolean =>
    undecided.some((open) => open.subject_type === one.subject_type && open.subject_id === one.subject_id);
  const sent = (): void => {
    setSubject(null);
    appeals.again();
    say(standing.appealSent);
  };
  return (
    <div class="standing">
      <Strikes pages={strikes} isAppealed={isAppealed} onAppeal={setSubject} />
      <ChatBans pages={bans} isAppealed={isAppealed} onAppeal={setSubject} />
      <Appeals pages={appeals} />
      <Reports pages={reports} />
      {subject && (
        <Dialog title={appeal.title} onClose={() => setSubject(null)}>
          <AppealForm subject={subject} onSent={sent} onCancel={() => setSubject(null)} />
        </Dialog>
      )}
    </div>
  );
}
