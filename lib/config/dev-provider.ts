/**
 * Checks a configuration that contains a `devProvider()`. A symbol marks that provider, so that latchkey/testing need
 * not be loaded.
 *
 * @module
 */
import { type ConfigProblem, configProblem } from "../errors/errors.js"
import type { ProviderObject } from "../provider-kit/provider.js"
import { DEV_PROVIDER } from "../symbols.js"
import type { Check } from "./finding.js"

/** Creates the problem of a `devProvider()` in production. */
export const devProviderProblem = (path: string): ConfigProblem =>
  configProblem(
    "dev-provider-in-production",
    path,
    'is the development provider, which lets anyone sign in as any user, so it is refused when NODE_ENV is "production"',
    'Write { providers: process.env.NODE_ENV === "production" ? [Google] : [devProvider()] }',
  )

const isDevProvider = (provider: ProviderObject): boolean => DEV_PROVIDER in provider

const readDevSecret = (provider: ProviderObject): unknown => Reflect.get(provider, DEV_PROVIDER)

/**
 * Returns the secrets for a configuration without a secret: outside production, the random secret that its
 * `devProvider()` contains. The list is empty in production, and without a `devProvider()`. Copies of a configuration
 * contain the same `devProvider()`, so they share its secret. The secret is lost when the process ends.
 */
export const temporarySecrets = (providers: readonly ProviderObject[], isProduction: boolean): readonly string[] =>
  isProduction
    ? []
    : providers
        .map(readDevSecret)
        .filter((secret) => typeof secret === "string")
        .slice(0, 1)

/** True if a `devProvider()` created one of the secrets. */
export const hasTemporarySecret = (secrets: readonly string[], providers: readonly ProviderObject[]): boolean =>
  providers.some((provider) => secrets.some((secret) => secret === readDevSecret(provider)))

/**
 * Reports a `devProvider()` in production. `devProvider()` throws an error in production too, but NODE_ENV may be set
 * after this function was called.
 */
export const checkDevProviders: Check = (_, { providers, isProduction }) =>
  providers.flatMap((provider, index) =>
    isProduction && isDevProvider(provider) ? [devProviderProblem(`providers[${index}]`)] : [],
  )
