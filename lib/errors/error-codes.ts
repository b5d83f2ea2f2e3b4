/**
 * How an error gets a more specific code than the default of its type.
 *
 * @module
 */
import type { MessageCode } from "./message-code.js"

/**
 * Gives an error a more specific code than the default of its type.
 *
 * @example
 * throw coded("flow-finished", new InvalidCheck("the sign-in was already finished"))
 */
export const coded = <Failure extends { messageCode: MessageCode }>(
  messageCode: MessageCode,
  error: Failure,
): Failure => {
  error.messageCode = messageCode
  return error
}

/** An error with a code. The `AuthError` that wraps it gets the same code. */
export class CodedError extends Error {
  readonly messageCode: MessageCode

  constructor(messageCode: MessageCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.messageCode = messageCode
  }
}
