import { randomText } from "../../security/tokens.js"

/** Far more than one person at one machine leaves behind within a day. */
const MAX_ENTRIES = 5_000

/** Things that are found again by a random text, for a time: codes, tokens, sessions. The oldest go when there are too many. */
export class Kept<T> {
  readonly #entries = new Map<string, { readonly content: T; readonly endsAt: number }>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** Keeps something, and gives the text that stands for it. */
  put(content: T, lifetimeSeconds: number): string {
    const [oldest] = this.#entries.keys()
    if (this.#entries.size >= MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest)
    const text = randomText()
    this.#entries.set(text, { content, endsAt: this.#now() + lifetimeSeconds * 1000 })
    return text
  }

  find(text: string | undefined): T | undefined {
    const entry = text === undefined ? undefined : this.#entries.get(text)
    return entry && this.#now() < entry.endsAt ? entry.content : undefined
  }

  drop(text: string | undefined): void {
    if (text !== undefined) this.#entries.delete(text)
  }
}
