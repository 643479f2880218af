import type { Actors } from "../../../../actors/actors.ts";
import { newId } from "../../../../base/ids.ts";
import { ServiceError } from "../../../../contract/errors.ts";
import { type Ask, type Stage, VIEWER_POINTS } from "./scenario.ts";

export const BETTING_MS = 600_000;

export const open: Ask = {
  name: "open",
  repeat: "same answer",
  run: (actors, stream) =>
    actors.predictions.open({
      stream,
      title: "Will it hold?",
      outcomes: [{ title: "yes" }, { title: "no" }],
      durationSeconds: BETTING_MS / 1_000,
      by: stream.userId,
      key: `open:${stream._id}`,
    }),
};

/** A bet on the open prediction; three in four choose the first outcome. Every other bet carries a key. */
function bet(userId: string, i: number, amount: number): Ask {
  const keyed = i % 2 === 0;
  return {
    name: `bet ${i} of ${amount}`,
    repeat: keyed ? "same answer" : "never",
    ...(amount <= VIEWER_POINTS ? { stake: { userId, amount } } : {}),
    async run(actors, stream) {
      const prediction = await actors.predictions.openOf(stream._id);
      const outcomeId = prediction?.outcomes[i % 4 === 3 ? 1 : 0]?.id ?? "";
      const input = { predictionId: prediction?._id ?? "", outcomeId, amount, userId };
      return actors.predictions.bet(keyed ? { ...input, key: `bet:${i}:${amount}` } : input);
    },
  };
}

/** All viewers at once, one of them twice, and one with more points than it has. */
export const bets = ({ viewers }: Stage): Ask[] => [
  ...viewers.map((userId, i) => bet(userId, i, 10 + (i % 90))),
  ...viewers.slice(0, 1).map((userId) => bet(userId, 0, 7)),
  ...viewers.slice(2, 3).map((userId) => bet(userId, 2, VIEWER_POINTS * 2)),
];

function decision(name: string, decide: (actors: Actors, id: string, by: string) => Promise<unknown>): Ask {
  return { name, repeat: "same answer", run: (actors, stream) => onLatest(actors, stream, decide) };
}

async function onLatest(
  actors: Actors,
  { _id, userId }: { _id: string; userId: string },
  decide: (actors: Actors, id: string, by: string) => Promise<unknown>,
): Promise<unknown> {
  const [latest] = (await actors.predictions.page(_id, { skip: 0, limit: 1 })).items;
  if (!latest) throw new ServiceError("not_found");
  return decide(actors, latest._id, userId);
}

export const lock = decision("lock", ({ predictions }, id, by) => predictions.lock(id, by, "lock"));
export const cancel = decision("cancel", ({ predictions }, id, by) => predictions.cancel(id, by, "cancel"));
export const resolve = decision("resolve", async ({ predictions }, id, by) => {
  const { outcomes } = await predictions.require(id);
  return predictions.resolve(id, outcomes[0]?.id ?? "", by, "resolve");
});

/** A user who isn't a viewer reports the stream, and with it its owner. */
export const report: Ask = {
  name: "report",
  repeat: "same answer",
  run: ({ reports }, stream) => {
    const about = { targetType: "stream", targetId: stream._id, reasonCode: "hate", details: null } as const;
    return reports.report({ reporterId: REPORTER, ...about });
  },
};
const REPORTER = "0197b7a0-0000-7000-8000-0000000000aa";
const STAFF = "0197b7a0-0000-7000-8000-0000000000bb";

async function caseOf({ reports }: Actors, { _id }: { _id: string }): Promise<string> {
  const open = await reports.casePage(
    { status: null, targetType: null, reasonCode: null, order: "urgent" },
    { skip: 0, limit: 1_000 },
  );
  return open.items.find(({ targetId }) => targetId === _id)?._id ?? "";
}

export const dismiss: Ask = {
  name: "dismiss",
  repeat: "harmless",
  run: async (actors, stream) =>
    actors.reports.dismiss({ caseId: await caseOf(actors, stream), staffId: STAFF }, null),
};

export const claim: Ask = {
  name: "claim",
  repeat: "harmless",
  run: async (actors, stream) =>
    actors.reports.claim({ caseId: await caseOf(actors, stream), staffId: STAFF }),
};

/** Applies all kinds of measures to an account at once. */
export const actOn: Ask = {
  name: "act",
  repeat: "harmless",
  async run(actors, stream) {
    const measures = (["warning", "remove_content", "strike", "account_ban"] as const).map((type) => ({
      id: newId(),
      type,
      reason: "Hate",
      durationSeconds: null,
      streamId: null,
    }));
    return actors.reports.act({ caseId: await caseOf(actors, stream), staffId: STAFF }, measures, null);
  },
};

export const publish: Ask = {
  name: "publish",
  repeat: "harmless",
  run: (actors, stream) => actors.broadcasts.publish({ stream, clientId: "obs" }),
};
export const publishDone: Ask = {
  name: "publish-done",
  repeat: "harmless",
  run: (actors, stream) => actors.broadcasts.publishDone({ stream, clientId: "obs" }),
};
