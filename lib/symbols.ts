/** Sets the `fetch` function for all calls to a provider: `GitHub({ [customFetch]: proxiedFetch })`. */
export const customFetch: unique symbol = Symbol("custom-fetch")

/** `config.raw = raw` makes `Auth` return data instead of a `Response`. */
export const raw: unique symbol = Symbol.for("latchkey.raw")

/**
 * `config.skipCSRFCheck = skipCSRFCheck` turns the CSRF token off, for a framework with its own CSRF protection.
 * Without such protection, other sites can forge sign-ins and sign-outs.
 */
export const skipCSRFCheck: unique symbol = Symbol.for("latchkey.skip-csrf-check")

/**
 * Marks a provider that `devProvider()` of any copy of this package has created. Its value is the secret that is used
 * in development if the configuration has none.
 */
export const DEV_PROVIDER: unique symbol = Symbol.for("latchkey.dev-provider")

/** Marks a `sendVerificationRequest` of any copy of this package whose emails contain the code. */
export const RENDERS_CODE: unique symbol = Symbol.for("latchkey.renders-code")

/**
 * The function under the symbol `customFetch` of this package or of an Auth.js package: their descriptions are equal.
 */
export function readCustomFetch(provider: object): typeof fetch | undefined {
  const symbol = Object.getOwnPropertySymbols(provider).find((s) => s.description === customFetch.description)
  const value: unknown = symbol && Reflect.get(provider, symbol)
  // By definition a function under this symbol is a `fetch`; TypeScript can't know that.
  return typeof value === "function" ? (value as typeof fetch) : undefined
}
