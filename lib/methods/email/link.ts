/**
 * The link in a mail: its token is sent, and only a hash of it is kept.
 *
 * @module
 */
import type { Adapter, VerificationToken } from "../../adapters/adapter.js"
import { coded } from "../../error-codes.js"
import { asError, type ErrorCause, Verification } from "../../errors.js"
import type { AuthCall } from "../../http/call.js"
import type { Runtime } from "../../runtime.js"
import { isCsrfToken } from "../../security/csrf.js"
import { hmacSha256, isEqualText, randomHex, sha256Hex } from "../../security/tokens.js"
import { isUnsafe } from "./address.js"
import type { ReadyEmail } from "./prepare.js"

type LinkStore = Required<Pick<Adapter, "createVerificationToken" | "useVerificationToken">> &
  Pick<Adapter, "deleteVerificationTokens">

/** The store's part that links need; that it is there is checked with the configuration. */
export const linkStore = (runtime: Runtime): LinkStore => runtime.adapter as LinkStore

/** A hash for this purpose alone: no other value that this package gives out has it. */
const hashToken = (token: string, secret: string): string =>
  hmacSha256(secret, `latchkey.email-link ${token}`).toString("hex")

/** The hashes of Auth.js, which takes a list of secrets as one text, joined by commas. */
const authjsHashes = (token: string, secrets: readonly string[]): string[] =>
  (secrets.length > 1 ? [...secrets, secrets.join(",")] : secrets).map((secret) => sha256Hex(token + secret))

/**
 * Every form in which a token may be stored. The form of Auth.js is also that of the CSRF cookie, so that a visitor who
 * can write into the store could make a link of it: it is accepted only for links that were under way when this process
 * started, and never for a CSRF token.
 */
function possibleHashes(token: string, { secrets, authjsHashesUntil }: ReadyEmail, now: number): string[] {
  const hashes = secrets.map((secret) => hashToken(token, secret))
  return now > authjsHashesUntil || isCsrfToken(token) ? hashes : [...hashes, ...authjsHashes(token, secrets)]
}

export interface Link {
  /** What is sent, and never stored. */
  readonly token: string
  readonly stored: VerificationToken
}

/**
 * A token that nobody else has. Written as text, an object would be one that everybody knows.
 *
 * @throws TypeError when the application's own function gives what is no text
 */
async function createToken({ options }: ReadyEmail): Promise<string> {
  const own: unknown = await options.generateVerificationToken?.()
  // Without one there would be nothing to open.
  if (!own) return randomHex()
  if (typeof own === "string" || typeof own === "number") return String(own)
  throw new TypeError("generateVerificationToken gave no text: return the token itself")
}

export async function createLink(identifier: string, provider: ReadyEmail, runtime: Runtime): Promise<Link> {
  const token = await createToken(provider)
  const expires = new Date(runtime.now() + provider.maxAgeSeconds * 1000)
  return { token, stored: { identifier, token: hashToken(token, provider.secrets[0] ?? ""), expires } }
}

/** What a link or the form of its page brings. */
export interface Shown {
  readonly token: string
  /** "" where an application's own link leaves it out. */
  readonly email: string
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** The link that a call shows: the address of a GET; the form of a POST, or its address as with Auth.js. */
export function shownBy({ method, query, body }: AuthCall): Shown {
  const { token, email } = method === "POST" ? { ...query, ...body } : query
  return { token: textOf(token), email: textOf(email) }
}

/** As in the contract: a store that can find a link by its token alone knows by `undefined` that it has to. */
const identifierOf = ({ email }: Shown): string => (email || undefined) as string

/** Some stores give dates as text; an end that can't be read has come. */
const isGood = ({ expires }: VerificationToken, now: number): boolean => new Date(expires).getTime() >= now

/** What no link of ours is like is nothing to ask the store for. */
function requireShown({ token, email }: Shown, facts: ErrorCause): void {
  if (!token) throw new Verification("a sign-in link came without its token", facts)
  if (isUnsafe(email)) throw new Verification("a sign-in link has an address with characters that can't be seen", facts)
}

/**
 * The others that were sent to this address have served their purpose. That they could not be deleted keeps nobody out:
 * this link is spent, and they end by themselves.
 */
async function deleteOthers({ identifier }: VerificationToken, runtime: Runtime): Promise<void> {
  try {
    await linkStore(runtime).deleteVerificationTokens?.(identifier)
  } catch (error) {
    runtime.logger.error(asError(error))
  }
}

/**
 * Uses a link up.
 *
 * @throws Verification when it is unknown, was used before, or is too old
 */
export async function useLink(shown: Shown, provider: ReadyEmail, runtime: Runtime): Promise<VerificationToken> {
  const store = linkStore(runtime)
  const facts = { provider: provider.id }
  requireShown(shown, facts)
  for (const token of possibleHashes(shown.token, provider, runtime.now())) {
    const found = await store.useVerificationToken({ identifier: identifierOf(shown), token })
    if (!found) continue
    // Some stores look up by address alone and have now deleted another link: its owner still needs it.
    if (typeof found.token === "string" && !isEqualText(found.token, token)) {
      await store.createVerificationToken(found)
      continue
    }
    if (!isGood(found, runtime.now())) throw coded("link-expired", new Verification("a sign-in link is too old", facts))
    if (shown.email && found.identifier !== shown.email)
      throw new Verification("a sign-in link is not for this address", facts)
    await deleteOthers(found, runtime)
    return found
  }
  throw new Verification("a sign-in link is unknown, or was used before", facts)
}
