import { expect } from "chai";
import { createCircuitBreaker } from "../../../../actors/notifications/push/circuit-breaker.ts";

describe("The circuit breaker of push services", () => {
  it("keeps the circuit of one that fails open, however many others fail", async () => {
    const breaker = createCircuitBreaker();
    const fail = (service: string) =>
      breaker.ask(service, () => Promise.reject(new Error("away"))).catch(() => undefined);
    const failOthers = async (from: number) => {
      for (let n = from; n < from + 600; n++) await fail(`host-${n}.example`);
    };
    for (let n = 0; n < 3; n++) await fail("slow.example");
    await failOthers(0);
    await fail("slow.example");
    await failOthers(600);

    let answer = (): void => undefined;
    const hanging = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const probes = [1, 2].map(() => breaker.ask("slow.example", () => hanging));
    const third = await breaker.ask("slow.example", () => hanging).catch((err: unknown) => String(err));
    expect(third).match(/hasn't answered lately/);
    answer();
    await Promise.all(probes);
  });
});
