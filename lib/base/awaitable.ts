/** A value, or a promise of it. */
export type Awaitable<T> = T | PromiseLike<T>

/** True if the value is a promise. Lets hot paths skip `await` for values that are already available. */
export const isPromiseLike = <T>(value: Awaitable<T>): value is PromiseLike<T> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

/** Waits for the work, but only until the deadline resolves, if there is one. The work continues after that. */
export const waitUntil = (deadline: Promise<void> | undefined, work: Promise<void>): Promise<void> =>
  deadline ? Promise.race([work, deadline]) : work
