import { useEffect, useRef, useState } from "preact/hooks";
import { Sample, SECOND_MS } from "./sample.ts";

/** A sample for as long as the component is shown, and which part of the messages it takes. */
export function useSample(): { sample: Sample; oneOf: number } {
  const { current: sample } = useRef(new Sample());
  const [oneOf, setOneOf] = useState(1);
  useEffect(() => {
    const timer = setInterval(() => {
      sample.look();
      setOneOf(sample.oneOf);
    }, SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return { sample, oneOf };
}
