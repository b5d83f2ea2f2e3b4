import { formEncode } from "./client-auth.js"

/**
 * False for values of up to 5 characters. If they were masked, a client could make log records unreadable with a
 * one-letter `code`.
 */
const isMaskable = (secret: string | undefined): secret is string => secret !== undefined && secret.length > 5

/** Replaces lone surrogates, because `encodeURIComponent` throws for them. JSON may contain them. */
const toWellFormed = (text: string): string => Buffer.from(text).toString()

/** Returns a secret as it appears in a header or a JSON response, in a URL, and in a form. */
const toEncodings = (secret: string): string[] => [secret, encodeURIComponent(toWellFormed(secret)), formEncode(secret)]

/**
 * Returns the encodings in which a provider may repeat these secrets, the longest first. A client could send the
 * beginning of a secret as `code`. If this `code` were masked first, the rest of the secret would stay readable.
 */
export const encodeSecrets = (secrets: readonly (string | undefined)[]): string[] =>
  secrets.flatMap((secret) => (isMaskable(secret) ? toEncodings(secret) : [])).sort((a, b) => b.length - a.length)

/** Returns a text in Base64 with and without padding, and in base64url. */
const encodeBase64 = (text: string): string[] => {
  const bytes = Buffer.from(text)
  const base64 = bytes.toString("base64")
  return [base64, base64.replace(/={1,2}$/, ""), bytes.toString("base64url")]
}

/**
 * Lists the texts to mask for a client secret: the secret, and the Base64 credentials of `client_secret_basic`
 * (RFC 6749 §2.3.1), with and without form encoding.
 */
export function clientSecretTexts(clientId: string, secret: string): readonly string[] {
  if (!secret) return []
  const pairs = [`${formEncode(clientId)}:${formEncode(secret)}`, `${clientId}:${secret}`]
  return [secret, ...pairs.flatMap(encodeBase64)]
}
