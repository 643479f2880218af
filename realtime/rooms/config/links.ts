import { foldedText } from "../../../store/texts/folded-text.ts";
import { visibleText } from "../../../store/texts/visible-text.ts";
import { toLatin } from "./confusables.ts";

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Top-level domains that hardly ever end a word before the next one. */
const CERTAIN = setOf(
  "com net org edu gov mil int info biz io gg tv co xyz dev app ly fm ai icu gl gle ee cc ws vip " +
    "club online site website blog shop store casino porn sex xxx dating bet click link " +
    "de fr es uk eu ru ua nl pl cz sk ch dk fi pt gr tr ro hu bg lt lv ca mx br ar cl pe jp cn kr tw hk sg " +
    "th vn ph au nz za ng ke eg ir ae pk kz by ge su tk ml cf gq рф",
);
/** Top-level domains that are words as well, like all two-letter ones (`so`, `it`, `md`): links only with a path or a port. */
const LIKELY = setOf(
  "world today live news life space fun top win best cool pro one page group team zone center city house " +
    "art studio design media video stream chat games game show music band live tube watch link download host " +
    "cloud digital network systems software tech codes tools email support services solutions agency company " +
    "finance money cash loan fund market exchange trade trading crypto gold gift gifts party social community " +
    "events academy school wiki guide guru ninja rocks wtf lol moe zip mov bar pub cafe pizza beer wine fit " +
    "health care clinic beauty fashion style clothing shoes toys photos pics gallery camera bio eco green earth " +
    "land farm garden kitchen recipes restaurant travel tours holiday hotel flights taxi cars bike parts repair " +
    "limited ltd inc llc llp gmbh global international foundation charity church name mobi asia africa click",
);

const SCHEME = /[a-z]:\/\/[^\s/]/u;
const WWW = /(?<![\p{L}\p{N}])www\.[\p{L}\p{N}]/u;
const DOTS = /[。․]/gu;
/** A host with what follows: a path, a query or a port makes a link of what might be words. */
const HOST = /([\p{L}\p{M}\p{N}.-]+)([/?]|:\p{N})?/gu;
const RUNS_OF_DOTS = /\.{2,}/u;
const END_OF_SENTENCE = /(?<![.-])[.-]+$/u;
const TWO_LETTERS = /^[a-z]{2}$/u;
const LETTER = /\p{L}/u;

/**
 * Whether a text contains a link: with a scheme or `www.`, or a bare host, also as a part of an email address. Linear in the
 * text length; hidden characters, other dots and look-alike letters in the top-level domain make no difference.
 */
export function hasLink(content: string): boolean {
  const text = foldedText(visibleText(content)).replace(DOTS, ".");
  if (!text.includes(".") && !text.includes("://")) return false;
  if (SCHEME.test(text) || WWW.test(text)) return true;
  for (const [, hosts = "", further] of text.matchAll(HOST)) {
    if (hosts.includes(".") && isHost(hosts, further !== undefined)) return true;
  }
  return false;
}

function isHost(word: string, isFollowed: boolean): boolean {
  return word.split(RUNS_OF_DOTS).some((host) => {
    const labels = host.replace(END_OF_SENTENCE, "").split(".");
    const last = labels.at(-1) ?? "";
    const before = labels.at(-2) ?? "";
    if (before === "" || !LETTER.test(last)) return false;
    return [last, toLatin(last)].some(
      (end) => CERTAIN.has(end) || (isFollowed && (TWO_LETTERS.test(end) || LIKELY.has(end))),
    );
  });
}
