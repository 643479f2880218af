import type { GlobalSets } from "./config/global-sets.ts";
import { type Member, Members, UNKNOWN_FACTS } from "./config/members.ts";
import type { RoomConfigs } from "./config/room-configs.ts";
import type { RoomIdentity } from "./identities.ts";
import type { AdmissionLook, AdmissionReply } from "./scripts/admit.ts";

/** What the script may ask for that the worker hasn't said, or said wrongly. */
export type Missing = Extract<
  AdmissionReply | AdmissionLook,
  { kind: "otherConfig" | "otherMember" | "needsFollow" | "needsHeard" }
>;

const MISSING: ReadonlySet<string> = new Set<Missing["kind"]>([
  "otherConfig",
  "otherMember",
  "needsFollow",
  "needsHeard",
]);

export const isMissing = (reply: { kind: string }): reply is Missing => MISSING.has(reply.kind);

/** Where each is looked up. */
export type Lookups = {
  configs: RoomConfigs;
  globals(): GlobalSets;
  /** What Redis has of a member: the role, and facts; "" for what it hasn't. */
  knownMember(streamId: string, userId: string): Promise<Member>;
  /** Facts about a member of that owner's channel, packed. */
  facts(ownerId: string, userId: string): Promise<string>;
  /** Unix ms; 0 for one who doesn't follow. */
  followsSince(userId: string, ownerId: string): Promise<number>;
  hasSpoken(streamId: string, userId: string): Promise<boolean>;
};

/**
 * What a worker knows of who speaks where, for admission to be decided. It begins with what is at hand, which is mostly
 * all that is needed; `learn` looks up what the script found missing.
 */
export function createSenderKnowledge(lookups: Lookups) {
  const members = new Members();

  return (streamId: string, userId: string, { ownerId }: RoomIdentity) => {
    let leastConfig = 0;
    let factsBefore: string | null = null;
    let followsSince: number | null = null;
    let heardBefore: boolean | null = null;

    /** Takes the author for who the room says, and looks up the facts that it doesn't have. */
    async function meet({ role, facts }: Member): Promise<Member> {
      // A "?" stands where facts have just changed.
      const isKnown = facts !== "" && !facts.startsWith("?");
      if (!isKnown) factsBefore = facts;
      const member = { role, facts: isKnown ? facts : await lookups.facts(ownerId, userId) };
      if (member.facts !== UNKNOWN_FACTS) members.remember(streamId, userId, member);
      return member;
    }

    return {
      config: () => lookups.configs.of(streamId, leastConfig),
      globals: lookups.globals,
      /** Throws unavailable. */
      async member(): Promise<Member> {
        const known = members.of(streamId, userId);
        // Two small reads cost less than a script that can't decide.
        return known ?? meet(await lookups.knownMember(streamId, userId));
      },
      now: () => ({ followsSince, heardBefore, factsBefore }),
      /** Throws unavailable. */
      async learn(missing: Missing): Promise<void> {
        factsBefore = null;
        switch (missing.kind) {
          case "otherConfig":
            leastConfig = missing.version;
            return;
          case "needsFollow":
            followsSince = await lookups.followsSince(userId, ownerId);
            return;
          case "needsHeard":
            heardBefore = await lookups.hasSpoken(streamId, userId);
            return;
          case "otherMember":
            await meet(missing);
        }
      },
    };
  };
}
