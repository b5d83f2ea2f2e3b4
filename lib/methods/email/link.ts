/**
 * Creates and consumes sign-in links. A link's token is sent by email, and only a hash of the token is stored.
 *
 * @module
 */

import type { Adapter, VerificationToken } from "../../adapters/adapter.js"
import { coded } from "../../errors/error-codes.js"
import { asError, type ErrorCause, Verification } from "../../errors/errors.js"
import type { AuthCall } from "../../http/call.js"
import { isCsrfToken } from "../../security/csrf.js"
import { hmacSha256, isEqualText, randomHex, sha256Hex } from "../../security/tokens.js"
import type { MethodRuntime } from "../method.js"
import { hasUnsafeCharacters } from "./address.js"
import { createCode } from "./code.js"
import type { ReadyEmail } from "./prepare.js"

type LinkAdapter = Required<Pick<Adapter, "createVerificationToken" | "useVerificationToken">> &
  Pick<Adapter, "deleteVerificationTokens">

/** The adapter with the methods that links need. The configuration check ensures that they exist. */
export const linkAdapter = (runtime: MethodRuntime): LinkAdapter => runtime.adapter as LinkAdapter

/** Hashes the token of a link. The prefix separates these hashes from other uses of the secret. */
const hashToken = (token: string, secret: string): string =>
  hmacSha256(secret, `latchkey.email-link ${token}`).toString("hex")

/** Returns the hashes that Auth.js may have stored for a token. Auth.js joins a list of secrets with commas. */
const authjsHashes = (token: string, secrets: readonly string[]): string[] =>
  (secrets.length > 1 ? [...secrets, secrets.join(",")] : secrets).map((secret) => sha256Hex(token + secret))

/**
 * Returns all hashes under which a token may be stored. Auth.js hashes the token of a link and the token in its CSRF
 * cookie in the same way, and that cookie also contains the hash. So an attacker with write access to the database
 * could store the hash from such a cookie for a link, and use the CSRF token as the link's token. The hashes of Auth.js
 * are therefore accepted only until the links that Auth.js sent have expired, and never for a CSRF token of this
 * package.
 */
function possibleHashes(token: string, { secrets, authjsHashesUntil }: ReadyEmail, now: number): string[] {
  const hashes = secrets.map((secret) => hashToken(token, secret))
  return now > authjsHashesUntil || isCsrfToken(token) ? hashes : [...hashes, ...authjsHashes(token, secrets)]
}

export interface Link {
  /** The token in the link's URL. It is sent by email and never stored. */
  readonly token: string
  /** The record for the adapter, with the hash of the token. */
  readonly stored: VerificationToken
  /** The code in the same email; undefined if the provider sends none. */
  readonly code: string | undefined
}

/**
 * Creates a token with `generateVerificationToken`; without this option, a random token. An object is rejected, because
 * it would become the predictable text "[object Object]".
 *
 * @throws TypeError if `generateVerificationToken` returns neither a string nor a number
 */
async function createToken({ options }: ReadyEmail): Promise<string> {
  const customToken: unknown = await options.generateVerificationToken?.()
  // An empty token is replaced by a random token.
  if (!customToken) return randomHex()
  if (typeof customToken === "string" || typeof customToken === "number") return String(customToken)
  throw new TypeError("generateVerificationToken must return a string or a number")
}

const toLink = (
  token: string,
  identifier: string,
  { secrets, maxAgeSeconds, hasCode }: ReadyEmail,
  { now }: MethodRuntime,
): Link => {
  const expires = new Date(now() + maxAgeSeconds * 1000)
  const stored = { identifier, token: hashToken(token, secrets[0] ?? ""), expires }
  return { token, stored, code: hasCode ? createCode() : undefined }
}

export const createLink = async (identifier: string, provider: ReadyEmail, runtime: MethodRuntime): Promise<Link> =>
  toLink(await createToken(provider), identifier, provider, runtime)

/** Creates a link that will be neither stored nor sent, see `createDecoyCookie`. */
export const createDecoy = (identifier: string, provider: ReadyEmail, runtime: MethodRuntime): Link =>
  toLink(randomHex(), identifier, provider, runtime)

/** The parameters of a link, or of the form on its confirmation page. */
export interface LinkParams {
  readonly token: string
  /** "" if the application builds its own links, without the address. */
  readonly email: string
}

const toText = (value: unknown): string => (typeof value === "string" ? value : "")

/** Reads a link's parameters. A POST contains them in its form or, as with Auth.js, in its query. */
export function parseLinkParams({ method, query, body }: AuthCall): LinkParams {
  const { token, email } = method === "POST" ? { ...query, ...body } : query
  return { token: toText(token), email: toText(email) }
}

/** Converts "" to `undefined`. With `undefined`, as in Auth.js, some adapters look up the link by its token alone. */
const toIdentifierParam = (email: string): string => (email || undefined) as string

/** True before the expiry, which some adapters return as text. A link with an invalid date counts as expired. */
const isUnexpired = ({ expires }: VerificationToken, now: number): boolean => new Date(expires).getTime() >= now

/** @throws Verification if the token is missing, or if the address has invisible characters */
function requireLinkParams({ token, email }: LinkParams, facts: ErrorCause): void {
  if (!token) throw new Verification("a sign-in link has no token", facts)
  if (hasUnsafeCharacters(email))
    throw new Verification("a sign-in link has an address with invisible characters", facts)
}

/** Deletes the other links of this address. A failure is only logged, because the links expire anyway. */
async function deleteOtherLinks({ identifier }: VerificationToken, runtime: MethodRuntime): Promise<void> {
  try {
    await linkAdapter(runtime).deleteVerificationTokens?.(identifier)
  } catch (error) {
    runtime.logger.error(asError(error))
  }
}

/** Identifies a stored link: its address, and the hashes under which its token may be stored. */
interface LinkLookup {
  /** "" if the address is unknown. */
  readonly email: string
  readonly hashes: readonly string[]
}

/**
 * Consumes the link with these parameters.
 *
 * @throws Verification if the parameters are invalid, and in the same cases as `consumeStoredLink`
 */
export async function consumeLink(
  params: LinkParams,
  provider: ReadyEmail,
  runtime: MethodRuntime,
): Promise<VerificationToken> {
  requireLinkParams(params, { provider: provider.id })
  const hashes = possibleHashes(params.token, provider, runtime.now())
  return consumeStoredLink({ email: params.email, hashes }, provider, runtime)
}

/**
 * Finds a stored link, deletes it and all other links of its address, and returns it.
 *
 * @throws Verification if the link is unknown, already used, expired, or for another address
 */
export async function consumeStoredLink(
  { email, hashes }: LinkLookup,
  provider: ReadyEmail,
  runtime: MethodRuntime,
): Promise<VerificationToken> {
  const adapter = linkAdapter(runtime)
  const facts = { provider: provider.id }
  for (const token of hashes) {
    const found = await adapter.useVerificationToken({ identifier: toIdentifierParam(email), token })
    if (!found) continue
    // Some adapters look up by address alone, and have now deleted a different link. So that link is stored again.
    if (typeof found.token === "string" && !isEqualText(found.token, token)) {
      await adapter.createVerificationToken(found)
      continue
    }
    if (!isUnexpired(found, runtime.now()))
      throw coded("link-expired", new Verification("a sign-in link is expired", facts))
    if (email && found.identifier !== email) throw new Verification("a sign-in link is not for this address", facts)
    await deleteOtherLinks(found, runtime)
    return found
  }
  throw new Verification("a sign-in link is unknown or already used", facts)
}
