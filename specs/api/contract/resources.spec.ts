import { expect } from "chai";
import { createChannelRoles } from "../../../actors/channels/channel-roles.ts";
import { createResources, type ResourceDeps } from "../../../api/http/resources.ts";
import { newId } from "../../../base/ids.ts";
import type { Operation } from "../../../contract/openapi-document.ts";
import { operationsOf, readOpenApi } from "../../../contract/openapi-document.ts";
import { streamDoc } from "../../support/stream-doc.ts";

describe("declared access", () => {
  it("is there, with what it is about, for whatever speaks of a channel", () => {
    const own = operationsOf(readOpenApi()).filter(({ operation }) => operation["x-access"].channel);
    expect(own.length).above(10);
    for (const { operation } of own) {
      // What isn't loaded, the act itself finds out.
      expect(operation["x-loads"] ?? operation["x-access"].preload, operation.operationId).not.equal(
        undefined,
      );
    }
  });

  it("asks for nothing more than the rule needs", async () => {
    const calls: string[] = [];
    const stream = streamDoc();
    function answering<Answer>(what: string, answer: Answer): Promise<Answer> {
      calls.push(what);
      return Promise.resolve(answer);
    }
    // Without what loads other kinds: asking for one of them throws.
    const deps = {
      channels: { require: (id: string) => answering(`stream ${id}`, stream) },
      channelAccess: {
        requireVisible: () => answering("visible", undefined),
        requireNotBlockedBy: () => answering("not blocked", undefined),
      },
      audit: () => void calls.push("audit"),
      staffLog: { add: async () => undefined },
      channelRoles: createChannelRoles({
        grantedRoles: { roleOf: () => answering("role", "moderator" as const) },
        blocks: { eitherWay: async () => new Set<string>() },
        isStaff: () => answering("staff", false),
      }),
    } as Partial<ResourceDeps> as ResourceDeps;
    const { of } = createResources(deps);
    const [caller, owner] = [newId(), stream.userId].map((userId) => ({
      kind: "user" as const,
      userId,
      username: "somebody",
      sessionId: newId(),
      via: "bearer" as const,
      grant: null,
    }));
    const operationId = "updateStream";
    const load = (access: Operation["x-access"]) =>
      of({ operationId, "x-loads": "stream", "x-access": access }, "patch");
    const origin = { ip: "127.0.0.1", userAgent: null, requestId: "spec" };
    const params = { stream_id: stream._id };
    if (!caller || !owner) throw new Error("two callers");

    expect(of({ operationId, "x-access": { who: "session" } }, "patch")).equal(null);
    expect(await load({ who: "optional" })?.({ caller, params, origin })).deep.equal({ stream });
    expect(
      await load({ who: "session", channel: "moderator" })?.({ caller: owner, params, origin }),
    ).deep.equal({
      stream,
      role: "owner",
    });
    const loaded = [`stream ${stream._id}`, "visible"];
    expect(calls).deep.equal([...loaded, ...loaded]);
    expect(await load({ who: "optional", role: true })?.({ caller, params, origin })).deep.equal({
      stream,
      role: "moderator",
    });
    expect(calls.slice(6).sort()).deep.equal(["role", "staff"]);
  });
});
