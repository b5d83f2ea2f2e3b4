import { formEncode } from "./client-auth.js"

/** Somebody may send a code of one letter, to have it struck out of every word of the record. */
const isLong = (secret: string | undefined): secret is string => secret !== undefined && secret.length > 5

/** JSON may have half a character, which nothing can encode. */
const wellFormed = (text: string): string => Buffer.from(text).toString()

/** A secret as it stands in a header or an answer, in an address and in a form. */
const spellingsOf = (secret: string): string[] => [secret, encodeURIComponent(wellFormed(secret)), formEncode(secret)]

/**
 * How others may repeat these secrets, the longest first: a code that somebody makes up of a secret's beginning must not
 * leave the rest of it.
 */
export const spellingsOfAll = (secrets: readonly (string | undefined)[]): string[] =>
  secrets.flatMap((secret) => (isLong(secret) ? spellingsOf(secret) : [])).sort((a, b) => b.length - a.length)

const inBase64 = (text: string): string[] => {
  const bytes = Buffer.from(text)
  const base64 = bytes.toString("base64")
  return [base64, base64.replace(/={1,2}$/, ""), bytes.toString("base64url")]
}

/** A client's secret, and the pair with its id as `client_secret_basic` sends it (RFC 6749 §2.3.1), encoded first or not. */
export function secretsOfClient(clientId: string, secret: string): readonly string[] {
  if (!secret) return []
  const pairs = [`${formEncode(clientId)}:${formEncode(secret)}`, `${clientId}:${secret}`]
  return [secret, ...pairs.flatMap(inBase64)]
}
