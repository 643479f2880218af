import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import type { World } from "../../support/world.ts";
import type { NamedChannel, ResourceRequests } from "../authorization/resource-requests.ts";

export const raidRequests: ResourceRequests = {
  forEach: ["joinRaid", "leaveRaid"],

  requests({ world, people, goLive, liveTarget }) {
    const { owner, target } = people;

    /** Ends a raid, so that the next one can start; one that has started ends by time. */
    async function cancelRaidOf(account: Person | null): Promise<void> {
      const stream = account && (await world.core.streams.findByUser(account.id));
      const raid = stream && (await world.core.raids.openFrom(stream._id));
      if (!stream) return;
      // Removes ended raids, since a channel may not raid again so soon.
      const over = { sourceStreamId: stream._id, isOpen: false };
      await world.core.mongo.db.collection("raids").deleteMany(over);
      if (!raid) return;
      if (raid.status === "pending") await world.core.raids.cancel(raid._id, raid.sourceUserId);
      else world.clock.move(60_000);
      await eventually(async () => (await world.core.raids.openFrom(stream._id)) === null, {
        what: "the raid is over",
      });
    }

    /** Not by the operation, whose limit is ten in ten minutes. */
    async function newRaid(): Promise<string> {
      await cancelRaidOf(owner);
      await Promise.all([goLive(owner), goLive(target)]);
      const [source, aim] = await Promise.all([
        world.core.channels.requireOf(owner.id),
        world.core.channels.requireOf(target.id),
      ]);
      const raid = await world.core.raids.begin({ source, target: aim, message: null, by: owner.id });
      return raid._id;
    }

    return {
      values: { raid_id: newRaid },
      prepared: {
        getCurrentRaid: async () => {
          await newRaid();
          return { query: { source_user_id: owner.id } };
        },
        startRaid: async () => {
          const params = { raid_id: await newRaid() };
          world.clock.move(10_000);
          return { params };
        },
        setRaidSettings: () => ({ body: { accept_from: "everyone" } }),
      },
      ofCaller: {
        createRaid: async (caller) => {
          // Each caller raids from the own channel, which has to be live; other callers are refused before that.
          const account = people.accountOf(caller);
          await cancelRaidOf(account);
          if (account) await goLive(account);
          return { body: await liveTarget() };
        },
      },
    };
  },

  shown: {
    createRaid: "in a room",
  },

  // A raid's refusals look the same to the raider, whatever their reason.
  visibility: { createRaid: { blocked: "raid_not_accepted" } },

  fields: {
    "createRaid body.target_user_id": {
      request: ({ userId }) => ({
        body: { target_user_id: userId, message: "Hello" },
      }),
      isLive: true,
      // A raid's refusals look the same to the raider, whatever their reason.
      but: { blocked: "raid_not_accepted" },
    },
    "createRaid body.source_user_id": {
      request: ({ userId }, other) => ({
        body: { target_user_id: other.owner.id, source_user_id: userId },
      }),
      isLive: true,
      // Only its moderators start a raid of a channel, and a block takes their role back: the role is looked at first.
      but: { blocked: "as for an active account" },
    },
    "getCurrentRaid query.source_user_id": {
      request: async (named, other, { world }) => {
        await begin(named, other, world);
        return { query: { source_user_id: named.userId } };
      },
      isLive: true,
    },
    "setRaidSettings body.blocked_user_ids": "the caller's own list: any id is taken",
  },
};

async function begin({ channel }: NamedChannel, other: Channel, world: World): Promise<void> {
  if (!channel) return;
  const [source, target] = await Promise.all(
    [channel, other].map(({ owner }) => world.core.channels.requireOf(owner.id)),
  );
  if (source && target) await world.core.raids.begin({ source, target, message: null, by: source.userId });
}
