import { foldedText, visibleText } from "../../../store/folded-text.ts";
import { looksOf, looksOfTerm } from "./look-alikes.ts";

/** Told of each term that is in a text, by its place in the list, as often as it is there. */
export type OnTerm = (term: number) => void;

type Key = { term: number; text: string; isWhole: { left: boolean; right: boolean } };

/** In a tree of common beginnings: terms that end here, and how those go on that don't. */
type Node = { label: string; ends: Key[]; next: Map<number, Node> };

/** `inside`: first units of terms that may begin within a word. */
type Tree = { root: Node; inside: Set<number> };

/** Of scripts that put no spaces between words: each letter of them may begin one. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const LETTER = /[\p{L}\p{M}\p{N}]/u;

/**
 * Terms that are words or several of them, looked for in one pass over a text. Common beginnings are kept once, so that it
 * costs no more than the text is long times the longest term, whatever the terms are.
 */
export function plainTerms(terms: readonly { place: number; term: string }[]) {
  const always: number[] = [];
  const written = newTree();
  const read = newTree();
  for (const { place, term } of terms) {
    const key = keyOf(place, term);
    if (key.text === "") {
      always.push(place);
      continue;
    }
    add(written, key);
    add(read, { ...key, text: looksOfTerm(key.text) });
  }

  return function find(folded: string, onTerm: OnTerm): void {
    always.forEach(onTerm);
    if (written.root.next.size === 0) return;
    search(written, folded, ({ term }) => onTerm(term));
    const looks = looksOf(folded);
    if (!looks) return;
    search(read, looks.text, ({ term, text }, at) => {
      if (looks.deceives(at, at + text.length)) onTerm(term);
    });
  };
}

/** Null for a term that would never be in a text; `*` alone is in every one. */
export const isSearchable = (term: string): boolean => {
  const { text } = keyOf(0, term);
  return text !== "" || /^\s*\*+\s*$/u.test(term);
};

/** A star at an end of a term lets words go on there. */
function keyOf(term: number, written: string): Key {
  const trimmed = foldedText(visibleText(written)).trim();
  const text = trimmed.replace(/^\*+/u, "").replace(/\*+$/u, "");
  return {
    term,
    text,
    isWhole: {
      left: !trimmed.startsWith("*") && isOfWord(text, 0),
      right: !trimmed.endsWith("*") && isOfWord(text, text.length - 1),
    },
  };
}

const newTree = (): Tree => ({ root: newNode(""), inside: new Set() });

function newNode(label: string): Node {
  return { label, ends: [], next: new Map() };
}

function add({ root, inside }: Tree, key: Key): void {
  if (!key.isWhole.left) inside.add(key.text.charCodeAt(0));
  let node = root;
  let left = key.text;
  while (left !== "") {
    const first = left.charCodeAt(0);
    const next = node.next.get(first);
    if (!next) {
      const leaf = newNode(left);
      node.next.set(first, leaf);
      leaf.ends.push(key);
      return;
    }
    const shared = sharedLength(next.label, left);
    node = shared === next.label.length ? next : split(node, next, shared);
    left = left.slice(shared);
  }
  node.ends.push(key);
}

function split(parent: Node, node: Node, at: number): Node {
  const upper = newNode(node.label.slice(0, at));
  parent.next.set(node.label.charCodeAt(0), upper);
  node.label = node.label.slice(at);
  upper.next.set(node.label.charCodeAt(0), node);
  return upper;
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

function search({ root, inside }: Tree, text: string, onKey: (key: Key, at: number) => void): void {
  let isWithin = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const mayBegin = !isWithin || inside.has(unit);
    isWithin = isOfWord(text, at);
    if (!mayBegin) continue;
    let place = at;
    let node = root.next.get(unit);
    while (node && text.startsWith(node.label, place)) {
      place += node.label.length;
      for (const key of node.ends) if (isFree(text, at, place, key)) onKey(key, at);
      node = node.next.get(text.charCodeAt(place));
    }
  }
}

const isFree = (text: string, from: number, to: number, { isWhole }: Key): boolean =>
  !(isWhole.left && isOfWord(text, from - 1)) && !(isWhole.right && isOfWord(text, to));

/** Whether the character of which the unit is one goes on a word. */
function isOfWord(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
  if (Number.isNaN(unit)) return false;
  const isSecondHalf = unit >= 0xdc00 && unit <= 0xdfff;
  const character = String.fromCodePoint(text.codePointAt(isSecondHalf ? at - 1 : at) ?? 0);
  return LETTER.test(character) && !UNSPACED.test(character);
}
