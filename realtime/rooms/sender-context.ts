import type { GlobalSets } from "./config/global-sets.ts";
import { type Member, Members, UNKNOWN_FACTS } from "./config/members.ts";
import type { RoomConfigs } from "./config/room-configs.ts";
import type { RoomIdentity } from "./identities.ts";
import type { Patience } from "./patience.ts";
import type { AdmissionCheckReply, AdmissionReply } from "./scripts/admit.ts";

/** What the script reports as missing or outdated in the worker's input. */
export type NeedsLookup = Extract<
  AdmissionReply | AdmissionCheckReply,
  { kind: "otherConfig" | "otherMember" | "needsFollow" | "needsChatted" }
>;

const MISSING: ReadonlySet<string> = new Set<NeedsLookup["kind"]>([
  "otherConfig",
  "otherMember",
  "needsFollow",
  "needsChatted",
]);

export const needsLookup = (reply: { kind: string }): reply is NeedsLookup => MISSING.has(reply.kind);

/** The sources of each. `deadline` is by performance.now(); what isn't there by then isn't waited for. */
export type Lookups = {
  configs: RoomConfigs;
  globals(): GlobalSets;
  /** What Redis has about a member: role and facts; "" for what it lacks. */
  knownMember(streamId: string, userId: string): Promise<Member>;
  /** Packed facts about a member of that owner's channel. */
  facts(ownerId: string, userId: string, deadline: number): Promise<string>;
  /** Unix ms; 0 for a user who doesn't follow. */
  followsSince(userId: string, ownerId: string, deadline: number): Promise<number>;
  hasChatted(streamId: string, userId: string, deadline: number): Promise<boolean>;
};

/**
 * What a worker knows about a sender in a room, as input of admission. It begins with what is cached, which is mostly enough;
 * `learn` looks up what the script reported as missing.
 */
export function createSenderContext(lookups: Lookups) {
  const members = new Members();

  return (streamId: string, userId: string, { ownerId }: RoomIdentity, patience: Patience) => {
    const { deadline } = patience;
    let leastConfig = 0;
    let factsBefore: string | null = null;
    let followsSince: number | null = null;
    let hasChatted: boolean | null = null;

    const factsNow = () => patience.for(lookups.facts(ownerId, userId, deadline));

    /** Takes over role and facts from the room, and looks up the facts if it has none. */
    async function resolveMember({ role, facts }: Member): Promise<Member> {
      // publish.lua writes a "?" when facts have just changed.
      const isKnown = facts !== "" && !facts.startsWith("?");
      if (!isKnown) factsBefore = facts;
      const member = { role, facts: isKnown ? facts : await factsNow() };
      if (member.facts !== UNKNOWN_FACTS) members.remember(streamId, userId, member);
      return member;
    }

    return {
      config: () => {
        const config = lookups.configs.of(streamId, leastConfig);
        // Whichever version is cached is there at once.
        return leastConfig === 0 ? config : patience.for(config);
      },
      globals: lookups.globals,
      /** Throws unavailable. */
      async member(): Promise<Member> {
        const known = members.of(streamId, userId);
        // Two small reads cost less than a run of the script that can't decide.
        return known ?? resolveMember(await lookups.knownMember(streamId, userId));
      },
      now: () => ({ followsSince, hasChatted, factsBefore }),
      /** Throws unavailable. */
      async learn(missing: NeedsLookup): Promise<void> {
        factsBefore = null;
        switch (missing.kind) {
          case "otherConfig":
            leastConfig = missing.version;
            return;
          case "needsFollow":
            followsSince = await patience.for(lookups.followsSince(userId, ownerId, deadline));
            return;
          case "needsChatted":
            hasChatted = await patience.for(lookups.hasChatted(streamId, userId, deadline));
            return;
          case "otherMember":
            await resolveMember(missing);
        }
      },
    };
  };
}
