import { type Given, givenChannels, type Person } from "../../support/given-channels.ts";
import type { World } from "../../support/world.ts";
import type { CallerName } from "./expectations.ts";

export type People = Awaited<ReturnType<typeof givenPeople>>;

/** One of each caller around one channel, each with points on it, and somebody for them to act upon. */
export async function givenPeople(world: World) {
  const given: Given = givenChannels(world);
  const channel = await given.channel();
  const otherChannel = await given.channel();
  const accounts = {
    user: await given.followerOf(channel),
    otherUser: await given.followerOf(channel),
    owner: channel.owner,
    moderator: await given.moderatorOf(channel),
    otherChannelsModerator: await given.moderatorOf(otherChannel),
    staff: await given.user(),
    banned: await given.user(),
  } satisfies Partial<Record<CallerName, Person>>;
  for (const name of ["moderator", "otherChannelsModerator", "staff"] as const) {
    await accounts[name].api.ok("followUser", { params: { user_id: channel.owner.id } });
  }
  await world.core.identity.setStaff(accounts.staff.username, true);
  await world.core.identity.ban(accounts.banned.id);

  return {
    channel,
    accounts,
    target: await given.user(),
    /** How that caller shows who it is. `fresh`: by a session that may be ended. */
    async credentials(caller: CallerName, fresh: boolean): Promise<Record<string, string>> {
      if (caller === "anonymous") return {};
      if (caller === "systemKey") return { "x-system-key": world.systemKey };
      const person = accounts[caller];
      const token = fresh && caller !== "banned" ? (await given.signIn(person)).token : person.token;
      return { authorization: `Bearer ${token}` };
    },
    /** The id of one more session of that account. */
    async anotherSession(person: Person): Promise<string> {
      const { token } = await given.signIn(person);
      const { items } = await world.api.as({ token }).ok("listSessions");
      const current = items.find((session) => session.is_current);
      if (!current) throw new Error("The list of sessions doesn't show the one that asks");
      return current.id;
    },
  };
}
