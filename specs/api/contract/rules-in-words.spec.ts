import { expect } from "chai";
import { readAsyncApi } from "../../contract/asyncapi-document.ts";
import { readCommand } from "../../contract/frames.ts";
import { walk } from "../../contract/json.ts";
import { operationsOf, readOpenApi } from "../../contract/openapi-document.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

/** Patterns are for programs. */
const QUOTED = /pattern|\^|\\|\[|schema/;

describe("refusals in words", () => {
  const { world } = setUpWorld();

  it("has words for each pattern that clients' values are checked with", () => {
    const mute: string[] = [];
    const commands = Object.values(readAsyncApi().components.messages).filter((one) => "x-result" in one);
    const sent = commands.map(
      ({ payload }) => readAsyncApi().components.schemas[payload.$ref.split("/").at(-1) ?? ""],
    );
    let patterns = 0;
    const note = (schema: Record<string, unknown>) => {
      if (typeof schema.pattern !== "string") return;
      patterns++;
      if (typeof schema["x-words"] !== "string") mute.push(schema.pattern);
    };
    for (const { operation } of operationsOf(readOpenApi())) walk(operation.parameters, note);
    for (const [name, schema] of Object.entries(readOpenApi().components.schemas))
      if (/^(New|.*Request$|.*Update$)/.test(name)) walk(schema, note);
    walk(sent, note);
    expect(mute).deep.equal([]);
    expect(patterns).above(20);
  });

  it("names the rule that a value breaks, by REST", async () => {
    const REFUSED: [string, object, string][] = [
      [
        "username",
        { username: "a!" },
        "must be 3 to 25 letters (A to Z), digits and underscores, not beginning with an underscore",
      ],
      ["email", { email: "nobody" }, "must be an e-mail address, such as name@example.org"],
    ];
    for (const [field, wrong, message] of REFUSED) {
      const body = {
        username: "somebody",
        email: "a@example.org",
        password: "a long phrase for specs",
        ...wrong,
      };
      const { details } = await world.api.call("register", { body });
      const found = Object(details).errors.filter(({ path }: { path: string }) => path === `/body/${field}`);
      expect(found.map((one: { message: string }) => one.message)).include(message);
      expect(found.filter((one: { message: string }) => QUOTED.test(one.message))).deep.equal([]);
    }
  });

  it("names the rule that a value breaks, by socket", () => {
    const read = readCommand(
      JSON.stringify({ id: 1, method: "chat.send", params: { channel: "chat:me", content: "hi" } }),
    );
    expect(read).deep.include({
      problems: [
        {
          path: "/params/channel",
          rule: "pattern",
          message: "must be chat:<stream_id>, the id in small letters",
        },
      ],
    });
  });
});
