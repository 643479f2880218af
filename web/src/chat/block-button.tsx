import { useState } from "preact/hooks";
import { client } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import type { Attempt } from "./outcome.ts";

type Props = {
  userId: string;
  name: string;
  isBlocking: boolean;
  isBusy: boolean;
  attempt: Attempt;
  onChange?: (isBlocked: boolean) => void;
};

/** Blocks a user, and takes it back. */
export function BlockButton({ userId, name, isBlocking, isBusy, attempt, onChange }: Props) {
  const [isBlocked, setBlocked] = useState(isBlocking);
  const { userCard } = TEXTS;
  const change = async (): Promise<void> => {
    const work = () => client.call(isBlocked ? "unblockUser" : "blockUser", { path: { user_id: userId } });
    const isDone = await attempt(work, isBlocked ? userCard.unblocked(name) : userCard.blocked(name));
    if (!isDone) return;
    setBlocked(!isBlocked);
    onChange?.(!isBlocked);
  };
  return (
    <button type="button" class="button quiet" aria-disabled={isBusy} onClick={() => void change()}>
      {isBlocked ? userCard.unblock : userCard.block}
    </button>
  );
}
