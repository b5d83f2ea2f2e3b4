/**
 * The key of an option that sets the `fetch` function for all requests to a provider:
 * `GitHub({ [customFetch]: proxiedFetch })`.
 */
export const customFetch: unique symbol = Symbol("custom-fetch")

/** With `config.raw = raw`, `Auth` returns data instead of a `Response`. */
export const raw: unique symbol = Symbol.for("latchkey.raw")

/**
 * `config.skipCSRFCheck = skipCSRFCheck` turns off the check of the CSRF token, for a framework with its own CSRF
 * protection. Without CSRF protection, other sites can forge sign-ins and sign-outs.
 */
export const skipCSRFCheck: unique symbol = Symbol.for("latchkey.skip-csrf-check")

/**
 * The key by which all copies of this package recognise a provider that `devProvider()` created. The provider's member
 * with this key is the secret that is used in development if the configuration has no secret.
 */
export const DEV_PROVIDER: unique symbol = Symbol.for("latchkey.dev-provider")

/** The key by which all copies of this package recognise a `sendVerificationRequest` whose emails contain the code. */
export const RENDERS_CODE: unique symbol = Symbol.for("latchkey.renders-code")

/**
 * Returns the `fetch` function that a provider sets with `customFetch`; undefined if it sets none. Also finds the
 * symbol of an Auth.js package, which has the same description.
 */
export function readCustomFetch(provider: object): typeof fetch | undefined {
  const symbol = Object.getOwnPropertySymbols(provider).find((s) => s.description === customFetch.description)
  const value: unknown = symbol && Reflect.get(provider, symbol)
  // A function under this symbol is a `fetch` by definition.
  return typeof value === "function" ? (value as typeof fetch) : undefined
}
