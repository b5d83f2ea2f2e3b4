/**
 * What happens in a sign-in, step by step, for whoever looks for a mistake: see docs/debugging.md.
 *
 * @module
 */
import { createHmac, randomBytes } from "node:crypto"
import type { DebugTopic } from "./debug-output.js"
import { type Logger, spellOut } from "./logger.js"
import { printable } from "./redact.js"

const ID_LENGTH = 4

/**
 * The same for what is the same. Under the secret: what an application makes for its mails may be six digits, which
 * somebody could find again from a plain hash.
 */
const idOf = (known: string, secret: string): string =>
  spellOut(createHmac("sha256", secret).update(`latchkey.story ${known}`).digest().subarray(0, ID_LENGTH))

/** A word's part before the "@" of an address. A word begins nowhere within another, so a long one is read once. */
const ADDRESS = /(?<![^\s"'<>(),;:=&?/\\])([^\s"'<>(),;:=&?/\\@])[^\s"'<>(),;:=&?/\\@]*@(?=[^\s@])/g

/** Text as a story may have it: without secrets, on one line, and with people's addresses cut to "a…@example.com". */
export const tellable = (text: string): string => printable(text).replace(ADDRESS, "$1…@")

/**
 * What one request adds to the story of a sign-in. Each line has the flow's id, the number of the request within the
 * flow, and that of the step: `flow 7KQ2 2.3`. What is known on both sides of a redirect gives the id, so that it takes no
 * memory, and a browser that has lost its cookies is still seen to come back from the flow that it began.
 */
export class Story {
  readonly #logger: Logger
  readonly #secret: string
  #lead: (() => string) | undefined
  /** Lines from before the flow was known. */
  #held: { readonly topic: DebugTopic; readonly text: string }[] = []

  constructor(logger: Logger, secret: string) {
    this.#logger = logger
    this.#secret = secret
  }

  /**
   * Says which flow this is, by something that this flow alone has (its text is not told), and which of the flow's
   * requests. The first word counts.
   */
  identify(known: string, request: number): void {
    if (this.#lead) return
    const id = idOf(known, this.#secret)
    let step = 0
    this.#lead = () => `flow ${id} ${request}.${++step} `
    for (const { topic, text } of this.#held.splice(0)) this.tell(topic, text)
  }

  /** Whatever flow this was: a request that was refused on its way to one. */
  settle(): void {
    if (!this.#lead) this.identify(randomBytes(16).toString("hex"), 1)
  }

  tell(topic: DebugTopic, text: string): void {
    if (this.#lead) this.#logger.debug(topic, this.#lead() + tellable(text))
    else this.#held.push({ topic, text })
  }
}
