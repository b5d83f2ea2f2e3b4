/** Is it less than so long since then? A time ahead of the clock is over: the clock was set back, nobody knows by how much. */
export function isWithin(ms: number, since: number, now: number): boolean {
  return since <= now && now - since < ms
}

/** Tells whether `ms` are over since now, by a clock that nobody sets back. */
export function createDeadline(ms: number): () => boolean {
  const end = performance.now() + ms
  return () => performance.now() > end
}

/**
 * The promise, or an error when it takes longer than `ms`. What it gives later is ignored.
 *
 * @throws Error with the message, or the one that is made, when the time is over
 */
export function withTimeout<T>(promise: PromiseLike<T>, ms: number, late: string | (() => Error)): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(typeof late === "string" ? new Error(late) : late()), ms)
    // Whoever writes a thenable of their own may give nothing back.
    void Promise.resolve(promise)
      .then(resolve, reject)
      .then(() => clearTimeout(timer))
  })
}
