/**
 * Browsers use base64url, and adapters store standard base64 as in Auth.js, so passkeys work with both packages.
 *
 * @module
 */

/** Converts base64url or base64 to standard base64. */
export const toStored = (text: string): string => Buffer.from(text, "base64url").toString("base64")

/** Converts a stored value to base64url. */
export const toJson = (stored: string): string => Buffer.from(stored, "base64").toString("base64url")

export const bytesToStored = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

/** Converts a stored value to bytes in a buffer that is not shared. */
export const storedToBytes = (stored: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(stored, "base64"))

/** Splits "usb,nfc" into a list; undefined if empty. */
export const parseTransports = (stored: string | null | undefined): string[] | undefined =>
  stored ? stored.split(",") : undefined
