/**
 * Converts between base64url, which browsers use, and standard base64, which adapters store. Auth.js stores standard
 * base64 too, so a database works with both packages.
 *
 * @module
 */

/** Converts base64url or base64 to standard base64. */
export const toStored = (text: string): string => Buffer.from(text, "base64url").toString("base64")

/** Converts a stored value to base64url. */
export const toBase64url = (stored: string): string => Buffer.from(stored, "base64").toString("base64url")

export const bytesToStored = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

/** Decodes a stored value to bytes. Copies them, because a `Buffer` may share its memory with other buffers. */
export const storedToBytes = (stored: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(stored, "base64"))

/** Splits stored transports such as "usb,nfc" into a list. Undefined if there are none. */
export const parseTransports = (stored: string | null | undefined): string[] | undefined =>
  stored ? stored.split(",") : undefined
