import type { Awaitable } from "./types.js"

/** Has to be waited for: where most values are there at once, the wait for each would cost more than the value. */
export const isPromiseLike = <T>(value: Awaitable<T>): value is PromiseLike<T> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

/** Waits for the work, but not beyond the moment, where there is one: the work goes on to its own end. */
export const waitUntil = (moment: Promise<void> | undefined, work: Promise<void>): Promise<void> =>
  moment ? Promise.race([work, moment]) : work
