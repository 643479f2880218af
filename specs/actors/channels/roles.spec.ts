import { expect } from "chai";
import { isModerating, mayActOn, type Standing, standingOf } from "../../../actors/channels/roles.ts";

const STANDINGS: Standing[] = ["owner", "staff", "moderator", "vip", null];

/** Whom each may act on; whoever isn't listed may act on nobody. */
const TARGETS: Record<string, Standing[]> = {
  owner: ["moderator", "vip", null],
  staff: ["moderator", "vip", null],
  moderator: ["vip", null],
  vip: [],
  null: [],
};

describe("roles in a channel", () => {
  it("say who may act on whom", () => {
    for (const actor of STANDINGS) {
      for (const target of STANDINGS) {
        expect(mayActOn(actor, target), `${actor} on ${target}`).equal(
          TARGETS[String(actor)]?.includes(target),
        );
      }
    }
  });

  it("let owner, staff and moderators moderate", () => {
    expect(STANDINGS.filter(isModerating)).deep.equal(["owner", "staff", "moderator"]);
  });

  it("count the highest of several", () => {
    const user = { userId: "u", ownerId: "o", isStaff: false, role: null };

    expect(standingOf(user)).equal(null);
    expect(standingOf({ ...user, role: "vip" })).equal("vip");
    expect(standingOf({ ...user, role: "moderator", isStaff: true })).equal("staff");
    expect(standingOf({ ...user, userId: "o", isStaff: true })).equal("owner");
  });
});
