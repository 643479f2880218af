import { TextForms } from "../../../base/texts/folded-text.ts";
import { hasLinkIn } from "./links.ts";

/** A text as the rules of a room look at it. */
export class RoomText extends TextForms {
  #hasLink: boolean | null = null;

  get hasLink(): boolean {
    this.#hasLink ??= hasLinkIn(this.visible);
    return this.#hasLink;
  }
}
