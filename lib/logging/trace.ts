/**
 * The trace of a sign-in in the debug output, step by step: see docs/debugging.md.
 *
 * @module
 */
import { createHmac, randomBytes } from "node:crypto"
import type { DebugTopic } from "./debug-output.js"
import { type Logger, toReadableText } from "./logger.js"
import { printable } from "./redact.js"

const ID_LENGTH = 4

/**
 * A deterministic trace id. Keyed with the secret, because an application's email token may be a six-digit code that an
 * unkeyed hash would reveal.
 */
const traceId = (flowKey: string, secret: string): string =>
  toReadableText(createHmac("sha256", secret).update(`latchkey.story ${flowKey}`).digest().subarray(0, ID_LENGTH))

/** The part before the "@" of an address. It must begin at a word boundary, so that a long word takes linear time. */
const ADDRESS = /(?<![^\s"'<>(),;:=&?/\\])([^\s"'<>(),;:=&?/\\@])[^\s"'<>(),;:=&?/\\@]*@(?=[^\s@])/g

/**
 * Prepares text for the trace: masks secrets, keeps it on one line, and shortens email addresses to "a…@example.com".
 */
export const redactForTrace = (text: string): string => printable(text).replace(ADDRESS, "$1…@")

/**
 * The lines that one request adds to the trace of a sign-in. Each begins with the flow's id, the number of the request
 * in the flow and the number of the step: `flow 7KQ2 2.3`. The id is derived from a value that is known before and
 * after the redirect, so it needs no memory and is found even if the browser has lost its cookies.
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
   * Sets the flow and the number of this request in it, and writes the buffered lines. Later calls are ignored.
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

  write(topic: DebugTopic, text: string): void {
    if (this.#prefix) this.#logger.debug(topic, this.#prefix() + redactForTrace(text))
    else this.#buffered.push({ topic, text })
  }
}
