/** A whole escape sequence: classes and code points have names in braces, which aren't repetitions. */
const ESCAPE = /\\(?:[pPx]\{[^}]*\}|Q[\s\S]*?(?:\\E|$)|[\s\S]?)/y;
/** A character class, in which a closing bracket may come first. */
const CLASS = /\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]?/y;
const TIMES = /\{(\d+)(?:(,)(\d*))?\}/y;

/** The match of `form` exactly at a position of the pattern, or null. */
function at(form: RegExp, pattern: string, place: number): RegExpExecArray | null {
  form.lastIndex = place;
  return form.exec(pattern);
}

/**
 * About how many instructions a regex becomes once its repetitions are expanded. A compiler expands them before it knows
 * the size: forty characters may stand for hundreds of thousands of instructions. Linear in the pattern's length; whether the
 * pattern is valid isn't checked.
 */
export function sizeByRepetitions(pattern: string): number {
  const outer: number[] = [];
  /** Of the open group, and of its last element, to which a repetition applies. */
  let [size, last] = [0, 0];
  const add = (what: number) => {
    size += what;
    last = what;
  };
  for (let place = 0; place < pattern.length; ) {
    const character = pattern.charAt(place);
    const times = character === "{" ? at(TIMES, pattern, place) : null;
    const one = character === "\\" ? ESCAPE : character === "[" ? CLASS : null;
    const whole = times ?? (one && at(one, pattern, place));
    if (times) {
      const [, least = "", isOpen, most = ""] = times;
      const copies = Math.max(Number(least), most === "" ? Number(least) + (isOpen ? 1 : 0) : Number(most));
      size += last * (copies - 1);
      last *= copies;
    } else if (character === "(") {
      outer.push(size);
      [size, last] = [0, 0];
    } else if (character === ")" && outer.length > 0) {
      const group = size + 2;
      size = outer.pop() ?? 0;
      add(group);
    } else if ("*+?".includes(character)) {
      size++;
      last++;
    } else add(whole?.[0].startsWith("\\Q") ? whole[0].length : 1);
    place += whole?.[0].length ?? 1;
  }
  return outer.reduce((sum, group) => sum + group, size);
}
