/**
 * True if `time` is in the last `ms` milliseconds before `now`. False if `time` is later than `now`, which means that
 * the clock was set back.
 */
export function isWithinLast(ms: number, time: number, now: number): boolean {
  return time <= now && now - time < ms
}

/** Returns a function that returns true when `ms` milliseconds have passed on a monotonic clock since this call. */
export function createDeadline(ms: number): () => boolean {
  const end = performance.now() + ms
  return () => performance.now() > end
}

/**
 * Settles as the promise does, or rejects if the promise does not settle within `ms` milliseconds. A later result of
 * the promise is ignored.
 *
 * @param failure the message of the error, or a function that creates the error
 */
export function withTimeout<T>(promise: PromiseLike<T>, ms: number, failure: string | (() => Error)): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(typeof failure === "string" ? new Error(failure) : failure()), ms)
    // The promise is wrapped, because `then` of an application's own thenable may return nothing.
    void Promise.resolve(promise)
      .then(resolve, reject)
      .then(() => clearTimeout(timer))
  })
}
