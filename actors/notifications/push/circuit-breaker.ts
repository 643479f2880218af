/** Failures in a row that open the circuit. */
const FAILURES = 3;
/** Requests at a time that an open circuit lets through, to find out whether the service is back. */
const PROBES = 2;
/** Above this number, the least recently used circuit without requests in flight is forgotten. */
const MAX_CIRCUITS = 1_000;

type Circuit = { failures: number; inFlight: number };

/** Lets few requests through to a push service that fails, so that it doesn't take the places of the others. */
export function createCircuitBreaker() {
  const circuits = new Map<string, Circuit>();

  function circuitOf(service: string): Circuit {
    const circuit = circuits.get(service) ?? { failures: 0, inFlight: 0 };
    circuits.delete(service);
    if (circuits.size >= MAX_CIRCUITS) evict();
    circuits.set(service, circuit);
    return circuit;
  }

  function evict(): void {
    for (const [name, { inFlight }] of circuits) if (inFlight === 0) return void circuits.delete(name);
  }

  return {
    /** Rejects immediately when the circuit of `service` is open and all its probes are in flight. */
    async ask<T>(service: string, ask: () => Promise<T>): Promise<T> {
      const circuit = circuitOf(service);
      if (circuit.failures >= FAILURES && circuit.inFlight >= PROBES)
        throw new Error("the push service hasn't answered lately");
      circuit.inFlight++;
      try {
        const answer = await ask();
        circuit.failures = 0;
        return answer;
      } catch (err) {
        circuit.failures++;
        throw err;
      } finally {
        circuit.inFlight--;
        if (circuit.failures === 0 && circuit.inFlight === 0) circuits.delete(service);
      }
    },
  };
}
