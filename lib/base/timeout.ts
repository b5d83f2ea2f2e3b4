/**
 * True if less than `ms` have passed since `since`. False if `since` is in the future, because the clock was set back.
 */
export function isWithin(ms: number, since: number, now: number): boolean {
  return since <= now && now - since < ms
}

/** Starts a deadline. The returned function is true after `ms` have passed on a monotonic clock. */
export function createDeadline(ms: number): () => boolean {
  const end = performance.now() + ms
  return () => performance.now() > end
}

/**
 * Rejects if the promise takes longer than `ms`. Its later result is ignored.
 *
 * @param failure the message of the error, or a function that creates the error
 */
export function withTimeout<T>(promise: PromiseLike<T>, ms: number, failure: string | (() => Error)): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(typeof failure === "string" ? new Error(failure) : failure()), ms)
    // `then` of an application's own thenable may return nothing, so wrap it.
    void Promise.resolve(promise)
      .then(resolve, reject)
      .then(() => clearTimeout(timer))
  })
}
