import { IncomingMessage, ServerResponse } from "node:http";
import { expect } from "chai";
import { openApp } from "./open-app.ts";

describe("a request and its answer", () => {
  const setPrototypeOf = Object.setPrototypeOf;
  afterEach(() => {
    Object.setPrototypeOf = setPrototypeOf;
  });

  it("keep the prototypes that the server gave them: another one makes all that follows slow", async () => {
    const app = await openApp((operations) => operations.bind("getHealth", async () => ({ status: "ok" })));
    const changed: object[] = [];
    let given = 0;
    Object.setPrototypeOf = <T>(target: T, prototype: object | null): T => {
      if (target instanceof IncomingMessage || target instanceof ServerResponse) {
        given++;
        if (Object.getPrototypeOf(target) !== prototype) changed.push(target);
      }
      return setPrototypeOf(target, prototype);
    };
    try {
      for (const [path, status] of [
        ["/healthz", 200],
        ["/nowhere", 404],
        ["/docs/", 200],
      ] as const) {
        expect((await fetch(`${app.baseUrl}${path}`)).status, path).equal(status);
      }
    } finally {
      await app.close();
    }
    expect(given, "Express no longer gives them any").above(5);
    expect(changed.length).equal(0);
  });
});
