import { EventEmitter } from "node:events";
import { expect } from "chai";
import { listenForSignals } from "../../deploy/primary/signals.ts";

function listening() {
  const source = new EventEmitter();
  const heard: string[] = [];
  let now = 0;
  const forget = listenForSignals(source, {
    stop: (signal) => heard.push(`stop ${signal}`),
    force: (signal) => heard.push(`force ${signal}`),
    roll: () => heard.push("roll"),
    now: () => now,
  });
  return {
    heard,
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
      const { heard, emit, wait } = listening();

      emit(signal);
      wait(900);
      emit("SIGTERM");

      expect(heard).deep.equal([`stop ${signal}`]);
    });
  }

  it("end it at once by a second one later", () => {
    const { heard, emit, wait } = listening();

    emit("SIGINT");
    wait(1_100);
    emit("SIGINT");

    expect(heard).deep.equal(["stop SIGINT", "force SIGINT"]);
  });

  it("roll the workers by SIGUSR2, and mean nothing once forgotten", () => {
    const { heard, emit, forget, source } = listening();

    emit("SIGUSR2");
    forget();
    emit("SIGTERM");

    expect(heard).deep.equal(["roll"]);
    expect(source.eventNames()).deep.equal([]);
  });
});
