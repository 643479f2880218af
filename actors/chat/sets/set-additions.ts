import { createHash } from "node:crypto";
import type { ClientSession } from "mongodb";
import type { Audit } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { keyedRequestsIn } from "../../host/keyed-requests.ts";
import type { ChatSet, SetChange, SetChanges, StaffMember } from "./set-changes.ts";

/** The addition's content, and the Idempotency-Key. */
type AdditionRequest = { key: string | null; bytes: Buffer; more: object };

type Addition<Doc> = {
  make(session: ClientSession): Promise<Doc>;
  /** Null when it no longer exists. */
  find(id: string, session: ClientSession): Promise<Doc | null>;
  line(note: Audit, by: StaffMember): void;
};

export type SetAdditions = ReturnType<typeof createSetAdditions>;

/**
 * Additions to a set, idempotent by key. While Redis is unavailable they are stored and answered with `unavailable`; a retry gets
 * the stored result, and the room is notified again.
 */
export function createSetAdditions(deps: { mongo: Mongo; clock: Clock; changeSet: SetChanges }) {
  const keyed = keyedRequestsIn(deps.mongo.db, deps.clock);
  return async function add<Doc extends { _id: string }>(
    set: ChatSet,
    kind: Extract<SetChange["room"], string>,
    { key, bytes, more }: AdditionRequest,
    { make, find, line }: Addition<Doc>,
  ): Promise<Doc> {
    const [by, operation] =
      "channel" in set ? [set.channel.userId, `${kind}.add`] : [set.staff.userId, `global_${kind}.add`];
    const picture = createHash("sha256").update(bytes).digest("hex");
    const added: Doc[] = [];
    await deps.changeSet(set, async (session) => {
      let isNew = false;
      const doc = await keyed.once({ by, operation, key, request: { ...more, picture } }, session, {
        act() {
          isNew = true;
          return make(session);
        },
        answerOf: ({ _id }) => _id,
        again: (id) => find(id, session),
      });
      added.push(doc);
      return { room: kind, line: (note, staff) => isNew && line(note, staff) };
    });
    // The last attempt is the one that was committed.
    const last = added.at(-1);
    if (!last) throw new Error("a commit wrote nothing");
    return last;
  };
}
