import type { components } from "@livecore/client";
import { TEXTS } from "../texts/texts.ts";
import { commandsOf } from "./commands.ts";

type Schemas = components["schemas"];
/** Replaces the text between two places of a draft. */
export type Suggestion = {
  id: string;
  from: number;
  to: number;
  text: string;
  label: string;
  hint: string;
  picture: string | null;
};
/** From what a draft is completed. */
export type Known = {
  role: Schemas["ChatRole"] | null;
  /** Names of users, those who spoke last first. */
  names: readonly string[];
  emotes: readonly Schemas["ChatEmote"][];
};

const MOST = 6;
const FEWEST_LETTERS_OF_EMOTE = 2;

/** What the word before the caret may become; empty if nothing is known for it. */
export function suggestionsFor(draft: string, caret: number, known: Known): Suggestion[] {
  const before = draft.slice(0, caret);
  const from = before.search(/(?<!\S)\S+$/);
  if (from === -1) return afterCommand(before, caret, known);
  const word = before.slice(from);
  const place = { from, to: caret };
  if (from === 0 && word.startsWith("/")) return commandsLike(word.slice(1), place, known);
  if (/^[@＠]/.test(word)) return namesLike(word.slice(1), place, known, "@");
  if (word.startsWith(":") && word.length > FEWEST_LETTERS_OF_EMOTE)
    return emotesLike(word.slice(1).replace(/:$/, ""), place, known);
  return commandTaking(before.slice(0, from), known) ? namesLike(word, place, known, "") : [];
}

type Place = { from: number; to: number };

function commandsLike(start: string, place: Place, { role }: Known): Suggestion[] {
  return commandsOf(role)
    .filter(({ name }) => name.startsWith(start.toLowerCase()))
    .slice(0, MOST)
    .map(({ name, operands }) => ({
      ...place,
      id: name,
      text: `/${name} `,
      label: `/${name} ${operands}`.trim(),
      hint: TEXTS.composer.commands[name] ?? "",
      picture: null,
    }));
}

/** Right behind a command that begins with a user. */
const afterCommand = (before: string, caret: number, known: Known): Suggestion[] =>
  commandTaking(before, known) ? namesLike("", { from: caret, to: caret }, known, "") : [];

function commandTaking(before: string, { role }: Known): boolean {
  const name = /^\/(\w+)\s+$/.exec(before)?.[1];
  return commandsOf(role).some((command) => command.name === name && command.takesUser === true);
}

function namesLike(start: string, place: Place, { names }: Known, sign: string): Suggestion[] {
  return names
    .filter((name) => name.startsWith(start.toLowerCase()))
    .slice(0, MOST)
    .map((name) => ({ ...place, id: name, text: `${sign}${name} `, label: name, hint: "", picture: null }));
}

function emotesLike(part: string, place: Place, { emotes }: Known): Suggestion[] {
  const lower = part.toLowerCase();
  return emotes
    .filter(({ name }) => name.toLowerCase().includes(lower))
    .toSorted((a, b) => a.name.toLowerCase().indexOf(lower) - b.name.toLowerCase().indexOf(lower))
    .slice(0, MOST)
    .map(({ id, name, url }) => ({
      ...place,
      id,
      text: `${name} `,
      label: name,
      hint: "",
      picture: url,
    }));
}
