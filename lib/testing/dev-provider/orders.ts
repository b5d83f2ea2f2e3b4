import { isMode, MODE_NAMES } from "./mode.js"
import { type DevPerson, findPerson } from "./people.js"
import type { DevAnswer } from "./state.js"

/** The answers that were ordered in advance. */
export class Orders {
  readonly #people: ReadonlyMap<string, DevPerson>
  readonly #once: DevAnswer[] = []
  #standing: DevAnswer | undefined

  constructor(people: ReadonlyMap<string, DevPerson>) {
    this.#people = people
  }

  addOnce(answer: DevAnswer): void {
    this.#once.push(this.#checked(answer))
  }

  setStanding(answer: DevAnswer): void {
    this.#standing = this.#checked(answer)
  }

  clear(): void {
    this.#once.length = 0
    this.#standing = undefined
  }

  take(): DevAnswer | undefined {
    return this.#once.shift() ?? this.#standing
  }

  /** A slip is told where it was written, and not by a sign-in that ends otherwise. */
  #checked(answer: DevAnswer): DevAnswer {
    const { as, mode } = answer
    const sub = as === undefined ? undefined : findPerson(this.#people, as)
    if (as !== undefined && sub === undefined)
      throw new TypeError(
        `devProvider: nobody is "${as}"; there are ${[...this.#people.keys()].join(", ")}. Write dev.people.set("${as}", { name: "…", email: "…" })`,
      )
    if (mode !== undefined && !isMode(mode))
      throw new TypeError(`devProvider: there is no mode "${String(mode)}". Write one of ${MODE_NAMES.join(", ")}`)
    return answer
  }
}
