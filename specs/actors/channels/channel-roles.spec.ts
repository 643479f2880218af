import { expect } from "chai";
import {
  createChannelRoles,
  isModerating,
  type MemberRole,
  mayActOn,
  type TargetRole,
} from "../../../actors/channels/channel-roles.ts";

const ROLES: MemberRole[] = ["owner", "staff", "moderator", "vip", null];

const TARGET_ROLES: TargetRole[] = ["owner", "moderator", "vip", null];

/** Whom each may act on; a role that isn't listed may act on nobody. */
const TARGETS: Record<string, TargetRole[]> = {
  owner: ["moderator", "vip", null],
  staff: ["moderator", "vip", null],
  moderator: ["vip", null],
  vip: [],
  null: [],
};

describe("roles in a channel", () => {
  it("say who may act on whom", () => {
    for (const actor of ROLES) {
      for (const target of TARGET_ROLES) {
        expect(mayActOn(actor, target), `${actor} on ${target}`).equal(
          TARGETS[String(actor)]?.includes(target),
        );
      }
    }
  });

  it("let owner, staff and moderators moderate", () => {
    expect(ROLES.filter(isModerating)).deep.equal(["owner", "staff", "moderator"]);
  });

  it("count the highest of several", async () => {
    const channel = { _id: "s", userId: "o" };
    const roleOf = (userId: string, role: "moderator" | "vip" | null, isStaff: boolean) =>
      createChannelRoles({
        grantedRoles: { roleOf: () => Promise.resolve(role) },
        blocks: { eitherWay: async () => new Set<string>() },
        isStaff: () => Promise.resolve(isStaff),
      }).roleOf(channel, userId);

    expect(await roleOf("u", null, false)).equal(null);
    expect(await roleOf("u", "vip", false)).equal("vip");
    expect(await roleOf("u", "moderator", true)).equal("staff");
    expect(await roleOf("o", null, true)).equal("owner");
  });

  it("doesn't count the target of an act as staff", async () => {
    const { roleAsTarget } = createChannelRoles({
      grantedRoles: { roleOf: async (_streamId, userId) => (userId === "m" ? "moderator" : null) },
      blocks: { eitherWay: async () => new Set<string>() },
      isStaff: () => Promise.reject(new Error("nobody needs to be staff")),
    });
    const roles = ["o", "m", "u"].map((userId) => roleAsTarget({ _id: "s", userId: "o" }, userId));

    expect(await Promise.all(roles)).deep.equal(["owner", "moderator", null]);
  });
});
