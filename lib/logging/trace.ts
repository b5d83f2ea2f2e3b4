/**
 * Writes each step of a sign-in to the debug output. docs/debugging.md shows examples.
 *
 * @module
 */
import { createHmac, randomBytes } from "node:crypto"
import type { DebugTopic } from "./debug-output.js"
import { type Logger, toReadableText } from "./logger.js"
import { printable } from "./redact.js"

const ID_LENGTH = 4

/**
 * Returns the trace id of a flow, which is a hash of the flow key. The hash is keyed with the secret: the flow key may
 * be an email token with only six digits, which could be guessed from an unkeyed hash.
 */
const traceId = (flowKey: string, secret: string): string =>
  toReadableText(createHmac("sha256", secret).update(`latchkey.trace ${flowKey}`).digest().subarray(0, ID_LENGTH))

/** Matches an email address up to its "@". A match begins at a word boundary, so that a long word takes linear time. */
const ADDRESS = /(?<![^\s"'<>(),;:=&?/\\])([^\s"'<>(),;:=&?/\\@])[^\s"'<>(),;:=&?/\\@]*@(?=[^\s@])/g

/**
 * Prepares a text for the trace: masks secrets, escapes line breaks, and shortens email addresses to "a…@example.com".
 */
export const redactForTrace = (text: string): string => printable(text).replace(ADDRESS, "$1…@")

/**
 * Writes the lines that one request adds to the trace of a sign-in. Each line begins with the trace id, the number of
 * the request in the flow and the number of the step: `flow 7KQ2 2.3`. The trace id is a hash of a value that the
 * requests before and after a redirect both contain. So the id needs no storage, and the trace continues even if the
 * browser has lost its cookies.
 */
export class SignInTrace {
  readonly #logger: Logger
  readonly #secret: string
  #prefix: (() => string) | undefined
  /** Lines that were written before the flow was identified. */
  #buffered: { readonly topic: DebugTopic; readonly text: string }[] = []

  constructor(logger: Logger, secret: string) {
    this.#logger = logger
    this.#secret = secret
  }

  /**
   * Sets the flow and the number of this request in the flow, and writes the buffered lines. Later calls are ignored.
   *
   * @param flowKey a value that is unique to the flow; only its keyed hash is written
   */
  identify(flowKey: string, request: number): void {
    if (this.#prefix) return
    const id = traceId(flowKey, this.#secret)
    let step = 0
    this.#prefix = () => `flow ${id} ${request}.${++step} `
    for (const { topic, text } of this.#buffered.splice(0)) this.write(topic, text)
  }

  /** Writes the buffered lines under a random id, for a request that failed before its flow was identified. */
  flush(): void {
    if (!this.#prefix) this.identify(randomBytes(16).toString("hex"), 1)
  }

  /** Writes a line, or buffers it until the flow is identified. */
  write(topic: DebugTopic, text: string): void {
    if (this.#prefix) this.#logger.debug(topic, this.#prefix() + redactForTrace(text))
    else this.#buffered.push({ topic, text })
  }
}
