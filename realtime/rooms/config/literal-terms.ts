import { comparedText } from "../../../base/texts/folded-text.ts";
import { hasUnspaced } from "../../../base/texts/scripts.ts";
import { skeletonOf, skeletonOfTerm } from "./confusables.ts";

/** Called with the list index of each matching term, once per match. */
export type OnTerm = (term: number) => void;

type Key = { term: number; text: string; isWhole: { left: boolean; right: boolean } };

/** A node of a radix tree: the terms that end here, and the children by the first unit of their labels. */
type Node = { label: string; ends: Key[]; next: Map<number, Node> };

/** `inside`: first units of terms that may begin within a word. */
type Tree = { root: Node; inside: Set<number> };

/** Stars with or without spaces, and nothing else. */
const STARS = /^\s*\*[\s*]*$/u;
const LETTER = /[\p{L}\p{M}\p{N}]/u;

/**
 * Matches terms of one or more words in one pass over a text. Common prefixes are stored once, so that a search takes at most
 * text length times the length of the longest term, whatever the terms are.
 */
export function literalTerms(terms: readonly { place: number; term: string }[]) {
  const always: number[] = [];
  const written = newTree();
  const read = newTree();
  for (const { place, term } of terms) {
    const key = keyOf(place, term);
    if (!isFound(key, term)) continue;
    if (key.text === "") {
      always.push(place);
      continue;
    }
    add(written, key);
    add(read, { ...key, text: skeletonOfTerm(key.text) });
  }

  return function find(compared: string, onTerm: OnTerm): void {
    always.forEach(onTerm);
    if (written.root.next.size === 0) return;
    search(written, compared, ({ term }) => onTerm(term));
    const skeleton = skeletonOf(compared);
    if (!skeleton) return;
    search(read, skeleton.text, ({ term, text }, at) => {
      if (skeleton.deceives(at, at + text.length)) onTerm(term);
    });
  };
}

/**
 * False for a term that matches no text, since nothing of it is compared. Only stars as they were written match every text:
 * other terms may have come to nothing in a release that compares less of them.
 */
export const isSearchable = (term: string): boolean => isFound(keyOf(0, term), term);

const isFound = ({ text }: Key, written: string): boolean => text.trim() !== "" || STARS.test(written);

/** A star at either end of a term lets a word continue there. */
function keyOf(term: number, written: string): Key {
  const trimmed = comparedText(written).trim();
  const text = trimmed.replace(/^\*+/u, "").replace(/(?<!\*)\*+$/u, "");
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

/** Whether the character at this unit (or half of a surrogate pair) is part of a word. */
function isOfWord(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
  if (Number.isNaN(unit)) return false;
  const isSecondHalf = unit >= 0xdc00 && unit <= 0xdfff;
  const character = String.fromCodePoint(text.codePointAt(isSecondHalf ? at - 1 : at) ?? 0);
  return LETTER.test(character) && !hasUnspaced(character);
}
