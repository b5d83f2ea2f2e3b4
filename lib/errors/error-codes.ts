/**
 * Codes that are more specific than the default code of an error's type.
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

/** An error with a code. An `AuthError` that wraps this error gets the same code. */
export class CodedError extends Error {
  readonly messageCode: MessageCode

  constructor(messageCode: MessageCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.messageCode = messageCode
  }
}
