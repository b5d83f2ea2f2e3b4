/**
 * The rules for a configuration with `devProvider()`. The provider is recognised by a symbol, so that latchkey/testing is
 * not loaded.
 *
 * @module
 */
import { type ConfigProblem, configProblem } from "../errors/errors.js"
import type { ProviderObject } from "../provider-kit/provider.js"
import { DEV_PROVIDER } from "../symbols.js"
import type { Check } from "./finding.js"

/** The problem of a `devProvider()` in production. */
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
 * Returns the secrets of a configuration that has none: in development, the random secret of its `devProvider()`. Copies
 * of the configuration share it, and other configurations don't. It lasts until the process ends.
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

/** `devProvider()` checks this too, but NODE_ENV may have been set after that call. */
export const checkDevProviders: Check = (_, { providers, isProduction }) =>
  providers.flatMap((provider, index) =>
    isProduction && isDevProvider(provider) ? [devProviderProblem(`providers[${index}]`)] : [],
  )
