import type { Child, startChild } from "../../../stress/child.ts";
import { isReady } from "../../../stress/child.ts";
import { isOutcome, type Job, type Outcome } from "./messages.ts";

/** Number of pending events per process. */
const WINDOW = 48;

type Member = { name: string; child: Child; underWay: Map<string, Job>; isReady: boolean };

type CrewOptions = {
  jobs: Job[];
  processes: number;
  database: string;
  /** The module of the processes. */
  worker: string;
  start: typeof startChild;
  /** Called after every answer; may kill. */
  onAnswered(crew: Crew): void;
};

/**
 * Processes that take events from one queue. Events that were pending when their process was killed, or whose outcome is unknown,
 * are sent again to the first free process.
 */
export class Crew {
  readonly outcomes = new Map<string, Outcome>();
  /** How often an outcome stayed unknown. */
  readonly unknown = { byKill: 0, byFailure: 0 };
  readonly #options: CrewOptions;
  readonly #queue: Job[];
  readonly #members: Member[];
  #finish: () => void = () => undefined;
  #generation = 0;

  constructor(options: CrewOptions) {
    this.#options = options;
    this.#queue = [...options.jobs];
    this.#members = Array.from({ length: options.processes }, () => this.#hire());
  }

  /** Resolves when every event has its answer; rejects when a process ends by itself. */
  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#finish = resolve;
      for (const member of this.#members) this.#watch(member, reject);
    });
  }

  /** Kills the process in that slot with its pending events, and starts another one. */
  kill(place: number): void {
    const member = this.#members[place % this.#members.length];
    if (!member) return;
    member.child.kill("SIGKILL");
    this.unknown.byKill += member.underWay.size;
    this.#queue.unshift(...member.underWay.values());
    const successor = this.#hire();
    this.#members[place % this.#members.length] = successor;
    this.#watch(successor, () => undefined);
  }

  #hire(): Member {
    const name = `process ${++this.#generation}`;
    const { start, worker, database } = this.#options;
    const child = start(worker, { database, name }, (message) => this.#receive(member, message));
    const member: Member = { name, child, underWay: new Map(), isReady: false };
    return member;
  }

  #watch(member: Member, reject: (err: Error) => void): void {
    void member.child.ended.then(({ how, stderr }) => {
      if (this.#members.includes(member)) reject(new Error(`${member.name} ended with ${how}: ${stderr}`));
    });
  }

  #receive(member: Member, message: unknown): void {
    // Last messages of a killed process are ignored: its events are sent again.
    if (!this.#members.includes(member)) return;
    if (isReady(message)) member.isReady = true;
    if (isOutcome(message)) this.#note(member, message);
    for (const one of this.#members) this.#feed(one);
  }

  #note(member: Member, outcome: Outcome): void {
    const job = member.underWay.get(outcome.op);
    if (!job) return;
    member.underWay.delete(outcome.op);
    if (outcome.kind === "failed") {
      this.unknown.byFailure += 1;
      this.#queue.push(job);
      return;
    }
    this.outcomes.set(outcome.op, outcome);
    this.#options.onAnswered(this);
    if (this.outcomes.size === this.#options.jobs.length) this.#finish();
  }

  #feed(member: Member): void {
    while (member.isReady && member.underWay.size < WINDOW) {
      const job = this.#queue.shift();
      if (!job) return;
      member.underWay.set(job.op, job);
      member.child.send(job);
    }
  }
}
