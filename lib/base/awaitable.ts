/** A value, or a promise that resolves to the value. */
export type Awaitable<T> = T | PromiseLike<T>

/** True if the value is a promise. Lets hot paths skip `await` for values that are already available. */
export const isPromiseLike = <T>(value: Awaitable<T>): value is PromiseLike<T> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

/**
 * Returns a promise that settles as `work` does, but resolves at the latest when `deadline` resolves. The work then
 * continues in the background. Without a deadline, the result is `work` itself.
 */
export const waitAtMostUntil = (deadline: Promise<void> | undefined, work: Promise<void>): Promise<void> =>
  deadline ? Promise.race([work, deadline]) : work
