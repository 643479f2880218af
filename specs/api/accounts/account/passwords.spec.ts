import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { createPasswords } from "../../../../actors/accounts/passwords/passwords.ts";
import { createStrengthThread, strength } from "../../../../actors/accounts/passwords/strength/strength.ts";
import { eventually } from "../../../support/eventually.ts";
import { givenChannels } from "../../../support/given-channels.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { outcome } from "../open-accounts.ts";

const ADA = { username: "ada_lovelace", email: "ada.countess@example.org" };
const OLD = "a long phrase for specs";
const NEW = "eleven owls above the mill";

/** A thread that has its dictionaries on a signal, and then takes each password for a good one. */
function slowThread() {
  const folder = mkdtempSync(join(tmpdir(), "livecore-strength-"));
  const began = join(folder, "began");
  writeFileSync(
    join(folder, "thread.mjs"),
    `import { appendFileSync, existsSync } from "node:fs";
     import { parentPort } from "node:worker_threads";
     appendFileSync(${JSON.stringify(began)}, "once ");
     while (!existsSync(${JSON.stringify(join(folder, "go"))})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
     parentPort.postMessage({ isReady: true });
     parentPort.on("message", ({ password }) => {
       appendFileSync(${JSON.stringify(began)}, password + " ");
       while (password === "slow" && !existsSync(${JSON.stringify(join(folder, "on"))})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
       parentPort.postMessage({ score: 4 });
     });`,
  );
  return {
    file: pathToFileURL(join(folder, "thread.mjs")),
    began: () => (existsSync(began) ? readFileSync(began, "utf8") : ""),
    go: () => writeFileSync(join(folder, "go"), ""),
    goOn: () => writeFileSync(join(folder, "on"), ""),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

describe("The thread that estimates passwords", () => {
  it("isn't begun anew because somebody's time is up while it reads its dictionaries", async () => {
    const slow = slowThread();
    try {
      const { estimate } = createStrengthThread({ file: slow.file, deadlineMs: 200 });

      expect(await outcome(estimate("a password", []))).equal("unavailable");
      await eventually(() => slow.began() !== "", { what: "it has begun" });
      expect(await outcome(estimate("another one", []))).equal("unavailable");
      const last = eventually(async () => (await outcome(estimate("a third one", []))) === "accepted", {
        what: "it estimates",
      });
      slow.go();
      await last;
      // Nor is anything estimated for which nobody waits any more.
      expect(slow.began()).match(/^once (a third one )+$/);
    } finally {
      slow.go();
      slow.remove();
    }
  });

  it("goes on behind a slow one, for which nobody waits any more", async () => {
    const slow = slowThread();
    slow.go();
    try {
      const { estimate } = createStrengthThread({ file: slow.file, deadlineMs: 200 });
      await eventually(async () => (await outcome(estimate("first", []))) === "accepted");

      expect(await outcome(estimate("slow", []))).equal("unavailable");
      slow.goOn();
      await eventually(async () => (await outcome(estimate("last", []))) === "accepted");
      expect(slow.began().match(/once/g)).deep.equal(["once"]);
    } finally {
      slow.goOn();
      slow.remove();
    }
  });
});

describe("The place of one account before that thread", () => {
  it("is one at a time, so that others' turns come", async () => {
    const slow = slowThread();
    slow.go();
    try {
      const { estimate } = createStrengthThread({ file: slow.file });
      const first = outcome(estimate("slow", [], "ana"));
      const flood = Array.from({ length: 60 }, (_, i) => outcome(estimate(`flood ${i}`, [], "ana")));
      const other = outcome(estimate("another's", [], "bob"));
      slow.goOn();

      expect(new Set(await Promise.all(flood))).deep.equal(new Set(["rate_limited"]));
      expect([await first, await other]).deep.equal(["accepted", "accepted"]);
      expect(await outcome(estimate("again", [], "ana"))).equal("accepted");
    } finally {
      slow.goOn();
      slow.remove();
    }
  });
});

describe("The lines of accounts and of new ones before that thread", () => {
  const account = (n: number) => `account ${n}`;
  const isNew = () => undefined;
  for (const [others, placeOf, who, place] of [
    ["accounts", account, "a new one", isNew],
    ["new ones", isNew, "an account", account],
  ] as const) {
    it(`leave the next turn to ${who}, however many ${others} wait`, async () => {
      const slow = slowThread();
      slow.go();
      try {
        const { estimate } = createStrengthThread({ file: slow.file });
        const passwords = ["slow", ...Array.from({ length: 60 }, () => "flood")];
        const flood = passwords.map((password, n) => outcome(estimate(password, [], placeOf(n))));
        const single = outcome(estimate("single", [], place(61)));
        slow.goOn();

        expect(await single).equal("accepted");
        const codes = await Promise.all(flood);
        expect(codes.filter((code) => code === "accepted")).length(20);
        expect(new Set(codes)).deep.equal(new Set(["accepted", "unavailable"]));
        // Whichever of the two lines is served first.
        expect(slow.began()).match(/^once (slow single|single slow) flood/);
      } finally {
        slow.goOn();
        slow.remove();
      }
    });
  }
});

describe("The strength of a password", function () {
  this.timeout(60_000);
  const passwords = createPasswords();
  const take = (password: string) => outcome(passwords.requireStrong(password, ADA));

  before(() => strength.estimate("so that the dictionaries are there", []));

  for (const password of [
    "Password123!",
    "qwertyuiopas",
    "ada_lovelace99",
    "ada.countess1",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "livecore2026",
    // Of the list: it looks like a good one.
    "3rjs1la2qe",
  ]) {
    it(`refuses "${password.slice(0, 24)}"`, async () => {
      expect(await take(password)).equal("validation_failed");
    });
  }

  for (const password of [
    "correct horse battery",
    "tr0ub4dor&3xyz!",
    `${"ab".repeat(40)}:eleven owls above the mill`,
  ]) {
    it(`takes "${password.slice(0, 24)}"`, async () => {
      expect(await take(password)).equal("accepted");
    });
  }

  it("is estimated beside requests, whatever was typed", async () => {
    const worst = ["p4$$w0rd".repeat(16), "4@8({[<36691!|170$57".repeat(6), "ab1!".repeat(32)];
    let longestMs = 0;
    let last = performance.now();
    const ticking = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - last);
      last = performance.now();
    }, 5);

    await Promise.all(worst.map((password) => strength.estimate(password, [])));
    clearInterval(ticking);

    expect(longestMs).below(250);
  });

  it("refuses what comes while too many wait, and goes on after", async () => {
    const codes = await Promise.all(
      Array.from({ length: 60 }, (_, i) => outcome(strength.estimate(`a flood of passwords ${i}`, []))),
    );

    expect(new Set(codes)).deep.equal(new Set(["accepted", "unavailable"]));
    expect(await outcome(strength.estimate("a late password", []))).equal("accepted");
  });
});

describe("PUT /v1/users/me/password", () => {
  let world: World;
  let given: ReturnType<typeof givenChannels>;
  before(async () => {
    world = await openWorld();
    given = givenChannels(world);
  });
  after(() => world.close());
  const login = (username: string, password: string) =>
    world.api.with({ "x-auth-mode": "bearer" }).call("login", { body: { login: username, password } });
  const change = (current_password: string, new_password: string) => ({
    body: { current_password, new_password },
  });

  it("ends the other sessions and the old password, and keeps this session", async () => {
    const user = await given.user();
    const other = await given.signedInAgain(user);

    expect((await user.api.call("changePassword", change(OLD, NEW))).status).equal(204);

    expect((await user.api.call("getMe")).status).equal(200);
    expect((await other.api.call("getMe")).code).equal("invalid_token");
    expect((await login(user.username, OLD)).code).equal("invalid_credentials");
    expect((await login(user.username, NEW)).status).equal(200);
  });

  it("asks for the present password, and refuses one that is easily guessed", async () => {
    const user = await given.user();

    expect((await user.api.call("changePassword", change("not the password", NEW))).code).equal(
      "invalid_credentials",
    );
    const guessable = await user.api.call("changePassword", change(OLD, "1q2w3e4r5t"));

    expect([guessable.code, Object(guessable.body).details.errors[0].path]).deep.equal([
      "validation_failed",
      "/body/new_password",
    ]);
    expect((await login(user.username, OLD)).status).equal(200);
  });

  it("takes ten tries an hour of a user who knows the present password", async () => {
    const user = await given.user();
    const tries: (string | null)[] = [];
    for (let i = 0; i < 11; i++)
      tries.push((await user.api.call("changePassword", change(OLD, "1q2w3e4r5t"))).code);

    expect(tries).deep.equal([...Array(10).fill("validation_failed"), "rate_limited"]);
    const refused = await user.api.call("changePassword", change(OLD, NEW));
    expect(Object(refused.body).details.bucket).equal("password_changes");
    expect((await login(user.username, OLD)).status).equal(200);
  });

  it("takes one of two changes at once", async () => {
    const user = await given.user();
    const other = await given.signedInAgain(user);

    const codes = await Promise.all([
      user.api.call("changePassword", change(OLD, NEW)),
      other.api.call("changePassword", change(OLD, "nine herons by the weir")),
    ]);

    expect(codes.filter(({ status }) => status === 204)).length(1);
  });
});
