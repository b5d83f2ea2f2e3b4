/**
 * The rules for a configuration with `devProvider()`. The provider is recognised by a symbol, so that latchkey/testing is
 * not loaded.
 *
 * @module
 */
import { configProblem } from "../errors/errors.js"
import type { ProviderObject } from "../provider-kit/provider.js"
import { DEV_PROVIDER } from "../symbols.js"
import type { Check } from "./finding.js"

/** The reason and the fix, for the log. */
export const DEV_PROVIDER_IN_PRODUCTION =
  'lets anyone sign in as any user, so it is refused when NODE_ENV is "production". Write { providers: process.env.NODE_ENV === "production" ? [Google] : [devProvider()] }'

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
    isProduction && isDevProvider(provider)
      ? [
          configProblem(
            "dev-provider-in-production",
            `providers[${index}]`,
            `is devProvider(), which ${DEV_PROVIDER_IN_PRODUCTION}`,
          ),
        ]
      : [],
  )
