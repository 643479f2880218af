/**
 * The result of `work`, or throws `late()` if there is none by `deadline` (of performance.now()). The work isn't cancelled:
 * the caller has to take care of it.
 */
export async function withDeadline<T>(work: Promise<T>, deadline: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), Math.max(0, deadline - performance.now()));
  });
  try {
    return await Promise.race([work, overdue]);
  } finally {
    clearTimeout(timer);
  }
}
