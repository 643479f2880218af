import { EventEmitter } from "node:events";
import { expect } from "chai";
import { listenForSignals } from "../../deploy/processes/primary/signals.ts";

function listening() {
  const source = new EventEmitter();
  const calls: string[] = [];
  let now = 0;
  const forget = listenForSignals(source, {
    stop: (signal) => calls.push(`stop ${signal}`),
    force: (signal) => calls.push(`force ${signal}`),
    roll: () => calls.push("roll"),
    now: () => now,
  });
  return {
    calls,
    forget,
    emit: (signal: string) => source.emit(signal),
    wait(ms: number) {
      now += ms;
    },
    source,
  };
}

describe("Signals to the primary", () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
    it(`stop it once by ${signal}, also when it arrives twice within a second`, () => {
      const { calls, emit, wait } = listening();

      emit(signal);
      wait(900);
      emit("SIGTERM");

      expect(calls).deep.equal([`stop ${signal}`]);
    });
  }

  it("end it at once by a second one later", () => {
    const { calls, emit, wait } = listening();

    emit("SIGINT");
    wait(1_100);
    emit("SIGINT");

    expect(calls).deep.equal(["stop SIGINT", "force SIGINT"]);
  });

  it("roll the workers by SIGUSR2, and mean nothing once forgotten", () => {
    const { calls, emit, forget, source } = listening();

    emit("SIGUSR2");
    forget();
    emit("SIGTERM");

    expect(calls).deep.equal(["roll"]);
    expect(source.eventNames()).deep.equal([]);
  });
});
