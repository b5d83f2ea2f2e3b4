import { formEncode } from "./client-auth.js"

/** Short values are not masked: a client could send a one-letter code to make the log record unreadable. */
const isLong = (secret: string | undefined): secret is string => secret !== undefined && secret.length > 5

/** JSON may contain a lone surrogate, which `encodeURIComponent` rejects. */
const wellFormed = (text: string): string => Buffer.from(text).toString()

/** A secret as it appears in a header or a response, in a URL, and in a form. */
const encodings = (secret: string): string[] => [secret, encodeURIComponent(wellFormed(secret)), formEncode(secret)]

/**
 * Returns the encodings in which a provider may repeat these secrets, the longest first. A client could send the
 * beginning of a secret as its code: masking that first would leave the rest of the secret readable.
 */
export const encodeSecrets = (secrets: readonly (string | undefined)[]): string[] =>
  secrets.flatMap((secret) => (isLong(secret) ? encodings(secret) : [])).sort((a, b) => b.length - a.length)

const inBase64 = (text: string): string[] => {
  const bytes = Buffer.from(text)
  const base64 = bytes.toString("base64")
  return [base64, base64.replace(/={1,2}$/, ""), bytes.toString("base64url")]
}

/**
 * Returns the client secret, and the Base64 of the client id and secret that `client_secret_basic` sends (RFC 6749
 * §2.3.1), with and without form encoding.
 */
export function clientSecrets(clientId: string, secret: string): readonly string[] {
  if (!secret) return []
  const pairs = [`${formEncode(clientId)}:${formEncode(secret)}`, `${clientId}:${secret}`]
  return [secret, ...pairs.flatMap(inBase64)]
}
