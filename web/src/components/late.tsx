import type { ComponentType, FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { departed } from "../site/navigation.ts";

/** A part whose script is loaded when it is first shown, as that of a dialog. Until then there is nothing in its place. */
export function late<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): FunctionComponent<Props> {
  let loaded: ComponentType<Props> | null = null;
  return (props) => {
    const [Part, setPart] = useState(() => loaded);
    useEffect(() => {
      if (Part) return;
      load().then((part) => {
        loaded = part;
        setPart(() => part);
      }, departed);
    }, []);
    return Part && <Part {...props} />;
  };
}
