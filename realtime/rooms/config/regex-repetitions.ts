/** The whole escape at a place: classes and code points have names in braces, which repeat nothing. */
const ESCAPE = /\\(?:[pPx]\{[^}]*\}|Q[\s\S]*?(?:\\E|$)|[\s\S]?)/y;
/** A class of characters, in which a bracket may stand first. */
const CLASS = /\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]?/y;
const TIMES = /\{(\d+)(?:(,)(\d*))?\}/y;

/** What stands at a place of the pattern, and there by that form; null for none. */
function at(form: RegExp, pattern: string, place: number): RegExpExecArray | null {
  form.lastIndex = place;
  return form.exec(pattern);
}

/**
 * About how many instructions an expression becomes once its repetitions are written out, which a compiler does before anybody can
 * ask it: forty characters may stand for hundreds of thousands. In no more time than the expression is long; whether it is one isn't looked at.
 */
export function sizeByRepetitions(pattern: string): number {
  const outer: number[] = [];
  /** Of the group that is open, and of the last thing in it, which a repetition is of. */
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
