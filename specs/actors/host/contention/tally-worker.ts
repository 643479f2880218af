/** A process with its own host on the shared stores: sends the events that it gets, and reports each answer. */
import { createHost } from "../../../../actors/host/host.ts";
import { createOutbox } from "../../../../actors/host/outbox.ts";
import { processClock } from "../../../../base/clock.ts";
import { hasFields, inputFromParent, sendToParent } from "../../../stress/parent.ts";
import { quietLog } from "../../../support/quiet-log.ts";
import { openStores } from "../../../support/stores.ts";
import type { Freeze, Job, Outcome } from "./messages.ts";
import { type Moment, tallyDefinition } from "./tally.ts";

const { database, name, ...input } = inputFromParent(
  (input): input is { database: string; name: string; freeze?: Freeze } =>
    hasFields(input, "database", "name") && [input.database, input.name].every((x) => typeof x === "string"),
);
const { mongo, redis } = await openStores(database);
const log = quietLog();
const nobody = () => Promise.resolve();
const outbox = createOutbox({ mongo, clock: processClock, log, publishRoom: nobody, publishUsers: nobody });
let freeze = input.freeze ?? null;
const tally = tallyDefinition(mongo.db, name, freezeOnce);
const host = createHost({ mongo, redis, clock: processClock, log, machines: [tally], outbox });

/** Stops itself at the point of its input, until SIGCONT. */
function freezeOnce(moment: Moment, ops: string[]): void {
  if (freeze?.moment !== moment || !ops.includes(freeze.op)) return;
  freeze = null;
  process.kill(process.pid, "SIGSTOP");
}

async function run({ actor, op, amount }: Job): Promise<Outcome> {
  try {
    const once = { key: op, request: { actor, amount } };
    // Of nobody: a user's request is refused when a process stood still while it waited.
    const reply = await host.ask(tally, actor, { type: "add", op, amount }, { by: null, once, input: {} });
    return reply.ok ? { op, kind: "accepted", ...reply.answer } : { op, kind: "refused" };
  } catch (err) {
    return { op, kind: "failed", reason: err instanceof Error ? err.message : String(err) };
  }
}

process.on("message", (job: Job) => void run(job).then(sendToParent));
sendToParent({ ready: true });
