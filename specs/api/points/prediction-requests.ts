import type { ResourceRequests } from "../authorization/resource-requests.ts";

const PREDICTION = {
  title: "Who may do this?",
  outcomes: [{ title: "Everybody" }, { title: "Nobody" }],
  duration_seconds: 600,
};

export const predictionRequests: ResourceRequests = {
  forEach: ["placeBet"],

  requests({ people }) {
    const { at, owner } = people;

    /** A channel has one open prediction, so the previous one is closed first, no matter who opened it. */
    async function close(): Promise<void> {
      const { items } = await owner.api.ok("listPredictions", { params: at, query: { per_page: 1 } });
      for (const { id, status } of items) {
        if (status === "active" || status === "locked") {
          await owner.api.ok("cancelPrediction", { params: { prediction_id: id } });
        }
      }
    }

    async function newPrediction() {
      await close();
      const prediction = await owner.api.ok("createPrediction", { params: at, body: PREDICTION });
      const [outcome] = prediction.outcomes;
      if (!outcome) throw new Error("A prediction has no outcomes");
      return { params: { prediction_id: prediction.id }, outcome_id: outcome.id };
    }

    return {
      values: { prediction_id: async () => (await newPrediction()).params.prediction_id },
      prepared: {
        createPrediction: async () => {
          await close();
          return { params: at, body: PREDICTION };
        },
        resolvePrediction: async () => {
          const { params, outcome_id } = await newPrediction();
          return { params, body: { outcome_id } };
        },
        placeBet: async () => {
          const { params, outcome_id } = await newPrediction();
          return { params, body: { outcome_id, amount: 1 } };
        },
        getMyBet: async () => {
          const { params, outcome_id } = await newPrediction();
          for (const better of [
            people.user,
            people.otherUser,
            people.moderator,
            people.otherChannelsModerator,
            people.staff,
          ]) {
            await better.api.ok("placeBet", { params, body: { outcome_id, amount: 1 } });
          }
          return { params };
        },
      },
    };
  },

  expected: { placeBet: { owner: "own_prediction" }, getMyBet: { owner: "not_found" } },

  shown: {
    placeBet: "nowhere",
  },
};
