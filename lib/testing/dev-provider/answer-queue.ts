import { isMode, MODE_NAMES } from "./mode.js"
import type { DevAnswer } from "./state.js"
import { type DevUser, findUserSub } from "./users.js"

/** The answers to sign-ins that a test has configured in advance. */
export class AnswerQueue {
  readonly #users: ReadonlyMap<string, DevUser>
  readonly #once: DevAnswer[] = []
  #default: DevAnswer | undefined

  constructor(users: ReadonlyMap<string, DevUser>) {
    this.#users = users
  }

  addOnce(answer: DevAnswer): void {
    this.#once.push(this.#validate(answer))
  }

  setDefault(answer: DevAnswer): void {
    this.#default = this.#validate(answer)
  }

  clear(): void {
    this.#once.length = 0
    this.#default = undefined
  }

  /** Removes and returns the next answer, or returns the default answer; undefined if there is none. */
  next(): DevAnswer | undefined {
    return this.#once.shift() ?? this.#default
  }

  /** Throws for an unknown user or mode, so that the test gets the error and not a later sign-in. */
  #validate(answer: DevAnswer): DevAnswer {
    const { as, mode } = answer
    const sub = as === undefined ? undefined : findUserSub(this.#users, as)
    if (as !== undefined && sub === undefined)
      throw new TypeError(
        `devProvider: the user "${as}" does not exist; the users are ${[...this.#users.keys()].join(", ")}. Write dev.users.set("${as}", { name: "…", email: "…" })`,
      )
    if (mode !== undefined && !isMode(mode))
      throw new TypeError(
        `devProvider: the mode "${String(mode)}" does not exist. Write one of ${MODE_NAMES.join(", ")}`,
      )
    return answer
  }
}
