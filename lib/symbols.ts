/**
 * Give a provider its own `fetch`: `GitHub({ [customFetch]: proxiedFetch })`.
 * It is used for every call to that provider.
 */
export const customFetch: unique symbol = Symbol("custom-fetch")

/** `config.raw = raw` makes `Auth` return its reply as data in place of a `Response`. */
export const raw: unique symbol = Symbol("return-type-raw")

/**
 * `config.skipCSRFCheck = skipCSRFCheck` turns the CSRF token off, for a framework that has its own.
 * Forged sign-ins and sign-outs become possible without one.
 */
export const skipCSRFCheck: unique symbol = Symbol("skip-csrf-check")

/**
 * Marks a provider of `devProvider()`, ours or the one of another copy of this package. Its value is the secret of a
 * configuration in development that has no other.
 */
export const DEV_PROVIDER: unique symbol = Symbol.for("latchkey.dev-provider")

/** The value under a `customFetch` symbol, ours or the one of another Auth.js package: they share its description. */
export function fetchOf(provider: object): typeof fetch | undefined {
  const symbol = Object.getOwnPropertySymbols(provider).find((s) => s.description === customFetch.description)
  const value: unknown = symbol && Reflect.get(provider, symbol)
  // A function stored under this symbol is a fetch by contract; types cannot see through the symbol.
  return typeof value === "function" ? (value as typeof fetch) : undefined
}
