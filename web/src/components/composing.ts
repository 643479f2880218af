/** The key code of a press that an input method takes. */
const COMPOSING = 229;

/** Whether the press is for an input method, as where it takes a candidate by Enter. Safari says it by the code alone. */
export const isComposing = ({ isComposing, keyCode }: KeyboardEvent): boolean =>
  isComposing || keyCode === COMPOSING;
