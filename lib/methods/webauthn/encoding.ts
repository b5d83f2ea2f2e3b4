/**
 * What browsers write in base64url stands in stores in standard base64, as Auth.js has it: passkeys that were made
 * there go on working here, and the other way round.
 *
 * @module
 */

/** Standard base64 of what is base64url, or already base64. */
export const toStored = (text: string): string => Buffer.from(text, "base64url").toString("base64")

/** Base64url of a stored value. */
export const toJson = (stored: string): string => Buffer.from(stored, "base64").toString("base64url")

export const bytesToStored = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

/** Bytes of a stored value, over a buffer of their own. */
export const storedToBytes = (stored: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(stored, "base64"))

/** "usb,nfc" as a list; undefined where none were named. */
export const parseTransports = (stored: string | null | undefined): string[] | undefined =>
  stored ? stored.split(",") : undefined
