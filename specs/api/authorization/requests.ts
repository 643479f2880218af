import type { CallOptions, OperationId } from "../../support/api.ts";
import type { World } from "../../support/world.ts";
import type { CallerName } from "./expectations.ts";
import { PASSWORD, type People } from "./people.ts";

/** Makes what a request of that caller acts upon, and says how the request goes. */
type Prepare = (caller: CallerName) => Promise<CallOptions> | CallOptions;

const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** Operations that end the session by which they are called. */
export const ENDS_SESSION: ReadonlySet<OperationId> = new Set(["logout", "endSessions"]);

/** Requests that succeed for whoever may make them. An operation that needs nothing made before isn't listed. */
export function requestsIn(world: World, people: People): Partial<Record<OperationId, Prepare>> {
  const { at, owner, user, target } = people;
  const onTarget = { ...at, user_id: target.id };
  let open: string | null = null;

  /** A channel has one open prediction, so the last one goes first. */
  async function closePrediction(): Promise<void> {
    if (open !== null) await owner.api.call("cancelPrediction", { params: { prediction_id: open } });
    open = null;
  }

  async function newPrediction() {
    await closePrediction();
    const prediction = await owner.api.ok("createPrediction", { params: at, body: newPredictionBody });
    open = prediction.id;
    const [outcome] = prediction.outcomes;
    if (!outcome) throw new Error("A prediction has no outcomes");
    return { params: { prediction_id: prediction.id }, outcome_id: outcome.id };
  }

  const onPrediction = async (): Promise<CallOptions> => ({ params: (await newPrediction()).params });
  async function hook(call: string): Promise<CallOptions> {
    const { stream_key } = await owner.api.ok("getMyStream");
    return { headers: FORM, body: `app=ingest&addr=127.0.0.1&clientid=1&call=${call}&name=${stream_key}` };
  }
  const inRoom = (): CallOptions => ({ params: at });
  const onPerson = (): CallOptions => ({ params: onTarget });
  const ofChannel = (): CallOptions => ({ params: { user_id: owner.id } });

  return {
    register: (caller) => ({
      body: { username: `new_${caller}`.slice(0, 25), email: `${caller}@example.org`, password: PASSWORD },
    }),
    login: () => ({ body: { login: target.username, password: PASSWORD } }),
    updateMe: () => ({ body: { bio: "Somebody." } }),
    endSession: async () => ({ params: { session_id: await people.anotherSession(user) } }),
    getPublicProfile: () => ({ params: { username: owner.username } }),

    updateMyStream: () => ({ body: { name: "A stream" } }),
    getStream: inRoom,
    getUserStream: () => ({ params: { username: owner.username } }),
    getViewerCount: inRoom,
    heartbeat: (caller) => ({ body: { ...at, device_id: caller } }),

    followUser: () => ({ params: { user_id: target.id } }),
    unfollowUser: () => ({ params: { user_id: target.id } }),

    getChatRoom: inRoom,
    listChatMessages: inRoom,
    sendChatMessage: (caller) => ({ params: at, body: { content: `Hello from ${caller}` } }),
    deleteChatMessage: async () => {
      // Past the one message a second that its author may send.
      world.clock.move(2_000);
      const body = { content: `A message at ${world.clock.now()}` };
      const { uuid } = await user.api.ok("sendChatMessage", { params: at, body });
      return { params: { ...at, uuid } };
    },
    clearChat: inRoom,
    getChatModes: inRoom,
    updateChatSettings: () => ({ params: at, body: { unique_chat: false } }),
    listBans: inRoom,
    banUser: onPerson,
    unbanUser: onPerson,
    timeoutUser: () => ({ params: onTarget, body: { duration_seconds: 60 } }),
    untimeoutUser: onPerson,
    listModerators: inRoom,
    addModerator: onPerson,
    removeModerator: onPerson,

    listPredictions: inRoom,
    createPrediction: async () => {
      await closePrediction();
      const { items } = await owner.api.ok("listPredictions", { params: at, query: { per_page: 1 } });
      const left = items.find(({ status }) => status === "active");
      if (left) await owner.api.ok("cancelPrediction", { params: { prediction_id: left.id } });
      return { params: at, body: newPredictionBody };
    },
    getPrediction: onPrediction,
    getPredictionHistory: onPrediction,
    getStreamHistory: inRoom,
    lockPrediction: onPrediction,
    cancelPrediction: onPrediction,
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

    getPoints: ofChannel,
    getPointsLedger: ofChannel,

    ingestPublish: () => hook("publish"),
    ingestPublishDone: () => hook("publish_done"),
  };
}

const newPredictionBody = {
  title: "Who may do this?",
  outcomes: [{ title: "Everybody" }, { title: "Nobody" }],
  duration_seconds: 600,
};
