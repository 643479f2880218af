import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { MongoClient } from "mongodb";
import type { AnyStateMachine, AnyStateNode } from "xstate";
import { defineAll } from "../../../actors/generated/lifecycles.ts";
import type { AnyDefinition } from "../../../actors/host/definition.ts";
import { silentMeter } from "../../../base/metrics.ts";
import { quietLog } from "../../support/quiet-log.ts";

/** The service's machines; the client never connects. */
export function definitions(): AnyDefinition[] {
  return Object.values(
    defineAll({
      db: new MongoClient("mongodb://not-connected").db(),
      log: quietLog(),
      meter: silentMeter(),
      showsRaidMessage: async () => true,
    }),
  );
}

type Transition = { target: readonly AnyStateNode[] | undefined; guard?: unknown };

/** The machine as a Mermaid state diagram. */
function mermaidOf(machine: AnyStateMachine): string {
  return ["stateDiagram-v2", ...linesOf(machine.root, "  ")].join("\n");
}

/** A readable event name: "after grace" instead of XState's name for it. */
export function eventLabel(type: string): string {
  const delayed = /^xstate\.after\.([^.]+)\./.exec(type);
  return delayed?.[1] === undefined ? type : `after ${delayed[1]}`;
}

function linesOf(node: AnyStateNode, indent: string): string[] {
  const children: AnyStateNode[] = Object.values(node.states);
  const initial = node.initial?.target?.[0];
  const inside = initial ? [`${indent}[*] --> ${nameOf(initial)}`] : [];
  return [...inside, ...children.flatMap((child) => childLines(child, indent))];
}

function childLines(node: AnyStateNode, indent: string): string[] {
  const lines = [`${indent}state "${node.key}" as ${nameOf(node)}`];
  if (Object.keys(node.states).length > 0) {
    lines.push(`${indent}state ${nameOf(node)} {`, ...linesOf(node, `${indent}  `), `${indent}}`);
  }
  for (const [type, transitions] of node.transitions) {
    for (const transition of transitions) lines.push(arrow(node, eventLabel(type), transition, indent));
  }
  for (const transition of node.always ?? []) lines.push(arrow(node, "at once", transition, indent));
  if (node.type === "final") lines.push(`${indent}${nameOf(node)} --> [*]`);
  return lines;
}

function arrow(from: AnyStateNode, label: string, { target, guard }: Transition, indent: string): string {
  const to = target?.[0] ?? from;
  const condition = typeof guard === "string" ? ` [${guard}]` : "";
  return `${indent}${nameOf(from)} --> ${nameOf(to)}: ${label}${condition}`;
}

/** Mermaid allows neither dots nor dashes in names. */
const nameOf = (node: AnyStateNode) => node.path.join("_") || "root";

function pageOf({ name, machine, version }: AnyDefinition): string {
  const { description } = machine.root;
  if (!description) throw new Error(`The machine ${name} has no description, which begins its page`);
  return [
    `# ${name}`,
    "",
    "<!-- Generated from the machine by `npm run generate`. -->",
    "",
    description,
    "",
    ...delayLines(machine),
    `Version ${version} of the machine. Whatever a state doesn't show is refused with \`invalid_state\`.`,
    "",
    ...transitionTable(machine),
    "",
    "```mermaid",
    mermaidOf(machine),
    "```",
    "",
  ].join("\n");
}

/** What the diagram shows, for pages that don't draw it. */
function transitionTable({ root }: AnyStateMachine): string[] {
  const nodes = [root, ...statesIn(root)];
  const begins = nodes.flatMap((node) => {
    const [first] = node.initial?.target ?? [];
    if (!first) return [];
    return [node === root ? `Begins in ${labelOf(first)}.` : `${labelOf(node)} begins in ${labelOf(first)}.`];
  });
  const ends = nodes.filter(({ type }) => type === "final").map(labelOf);
  const rows = new Map<string, Set<string>>();
  for (const node of nodes.slice(1)) {
    for (const { label, target, guard } of leavingFrom(node)) {
      const to = target?.[0] ?? node;
      const row = `${labelOf(node)} | ${label} | ${conditionOf(guard)}`;
      rows.set(row, (rows.get(row) ?? new Set()).add(to === node ? "stays" : labelOf(to)));
    }
  }
  return [
    [...begins, ...(ends.length > 0 ? [`Ends in ${ends.join(" or ")}.`] : [])].join(" "),
    "",
    "Of several rows for one event, the first applies whose condition holds.",
    "",
    "| state | event | condition | next state |",
    "|---|---|---|---|",
    ...[...rows].map(([row, states]) => `| ${row} | ${[...states].join(" or ")} |`),
  ];
}

function leavingFrom(node: AnyStateNode): (Transition & { label: string })[] {
  const named = [...node.transitions].flatMap(([type, transitions]) =>
    transitions.map(({ target, guard }) => ({ label: `\`${eventLabel(type)}\``, target, guard })),
  );
  return [...named, ...(node.always ?? []).map(({ target, guard }) => ({ label: "at once", target, guard }))];
}

/** A condition without a name is computed from all that the actor knows. */
function conditionOf(guard: unknown): string {
  if (guard === undefined) return "–";
  return typeof guard === "string" ? `\`${guard}\`` : "computed";
}

const statesIn = (node: AnyStateNode): AnyStateNode[] =>
  Object.values<AnyStateNode>(node.states).flatMap((child) => [child, ...statesIn(child)]);

const labelOf = (node: AnyStateNode): string => `\`${node.path.join(" / ")}\``;

/** The delays: fixed ones in seconds; others depend on the actor. */
function delayLines(machine: AnyStateMachine): string[] {
  const delays = Object.entries(machine.implementations.delays);
  const texts = delays.map(([name, delay]) =>
    typeof delay === "number" ? `${name} ${delay / 1_000} s` : `${name} depends on the actor`,
  );
  return [`Times: ${texts.join(", ")}.`, ""];
}

/** Every page with its path inside `docs/machines`. */
export const machinePages = () => definitions().map((one) => ({ file: `${one.name}.md`, text: pageOf(one) }));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = new URL("../../../docs/machines/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  for (const { file, text } of machinePages()) writeFileSync(new URL(file, folder), text);
}
