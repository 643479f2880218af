import { newId } from "../../../../base/ids.ts";
import { Socket } from "../../../realtime/gateway/world.ts";
import { type Given, givenChannels, type Person } from "../../../support/given-channels.ts";
import { givenStaffMember } from "../../../support/two-factor.ts";
import type { World } from "../../../support/world.ts";
import type { Named, Role } from "./rows.ts";

/** At least as many as rows in which a first-timer sends something, by each door. */
const FIRST_TIMERS = 12;

type Standing = { person: Person; own: string };

/** One user of each role around one room, and a pool of first-timers. */
export async function givenRoles(world: World) {
  const given: Given = givenChannels(world);
  const channel = await given.channel();
  const elsewhere = await given.channel();
  const { owner, at } = channel;
  const follow = (person: Person) => person.api.ok("followUser", { params: { user_id: owner.id } });
  const user = () => given.user();
  const somebody = await user();
  const people = {
    viewer: await user(),
    follower: await given.followerOf(channel),
    subscriber: await user(),
    vip: await user(),
    moderator: await given.moderatorOf(channel),
    otherModerator: await given.moderatorOf(elsewhere),
    owner,
    staff: await user(),
    banned: await user(),
    timedOut: await user(),
  };
  const newcomers: Person[] = [];
  for (let i = 0; i < FIRST_TIMERS; i++) newcomers.push(await given.followerOf(channel));
  const paid = { id: newId(), happenedAt: world.clock.now(), isGift: false, giftedBy: null };
  const members = { subscriberId: people.subscriber.id, channelUserId: owner.id };
  await world.core.subscriptions.paid(newId(), members, {
    ...paid,
    tier: 1,
    priceCents: 499,
    platformId: null,
  });
  const authenticator = await givenStaffMember(world.core, people.staff);
  people.staff = { ...people.staff, authenticator };
  const on = ({ id }: Person) => ({ params: { ...at, user_id: id } });
  await owner.api.ok("addVip", on(people.vip));

  // Followers now follow for eleven minutes; all sign in again.
  await follow(people.moderator);
  world.clock.move(660_000);
  const standing = new Map<Role, Standing>();
  for (const [role, person] of Object.entries(people)) {
    const again = await given.signedInAgain(person);
    const { uuid } = await again.api.ok("sendChatMessage", {
      params: at,
      body: { content: `I am ${role}` },
    });
    standing.set(role as Role, { person: again, own: uuid });
  }
  const speaker = await given.signedInAgain(somebody);
  const message = await speaker.api.ok("sendChatMessage", { params: at, body: { content: "I am somebody" } });
  const asOwner = standing.get("owner")?.person ?? owner;
  await asOwner.api.ok("banUser", on(people.banned));
  await asOwner.api.ok("timeoutUser", { ...on(people.timedOut), body: { duration_seconds: 1_209_600 } });

  const sockets = new Map<string, Socket>();
  let firstTimer: Standing | null = null;
  const { moderator, staff } = people;

  return {
    at,
    owner: asOwner,
    speaker,
    async standingOf(role: Role): Promise<Standing | null> {
      if (role === "anonymous") return null;
      if (role !== "firstTime") return standing.get(role) ?? null;
      firstTimer ??= { person: await given.signedInAgain(newcomers.pop() ?? (await user())), own: "" };
      return firstTimer;
    },
    /** Whoever has sent something is no first-timer any more. */
    hasSent({ id }: Person): void {
      if (firstTimer?.person.id === id) firstTimer = null;
    },
    /** What the requests of a row name; whoever has a message of their own names that one. */
    named(): Named {
      return {
        streamId: at.stream_id,
        somebody,
        moderator,
        owner,
        staff,
        message: message.uuid,
        own: newId(),
      };
    },
    async socketOf(person: Person | null): Promise<Socket> {
      const key = person?.id ?? "nobody";
      const open = sockets.get(key);
      if (open) return open;
      const ticket = person ? `?ticket=${(await person.api.ok("createWsTicket")).ticket}` : "";
      const socket = new Socket(`${world.socketUrl}/v1/ws${ticket}`);
      sockets.set(key, socket);
      return socket;
    },
    close(): void {
      for (const socket of sockets.values()) socket.terminate();
    },
  };
}

export type Roles = Awaited<ReturnType<typeof givenRoles>>;
