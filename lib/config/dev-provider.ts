/**
 * What a configuration with `devProvider()` is allowed, and what not. It is known by its mark: nothing of
 * latchkey/testing is loaded for it.
 *
 * @module
 */
import { configProblem } from "../errors.js"
import type { ProviderObject } from "../providers/provider.js"
import { DEV_PROVIDER } from "../symbols.js"
import type { Check } from "./finding.js"

/** Where another line has to be written, for people who read it in a log. */
export const DEV_PROVIDER_IN_PRODUCTION =
  'lets everybody be anybody, and NODE_ENV is "production". Write { providers: process.env.NODE_ENV === "production" ? [Google] : [devProvider()] }'

const isDevProvider = (provider: ProviderObject): boolean => DEV_PROVIDER in provider

const markOf = (provider: ProviderObject): unknown => Reflect.get(provider, DEV_PROVIDER)

/**
 * The secrets where none is set: in development, that of a provider which is for nothing else. It is the provider's own,
 * so copies of a configuration have the same and two configurations never meet; it ends with the process.
 */
export const temporarySecrets = (providers: readonly ProviderObject[], isProduction: boolean): readonly string[] =>
  isProduction
    ? []
    : providers
        .map(markOf)
        .filter((mark) => typeof mark === "string")
        .slice(0, 1)

export const isTemporary = (secrets: readonly string[], providers: readonly ProviderObject[]): boolean =>
  providers.some((provider) => secrets.some((secret) => secret === markOf(provider)))

/** Asked here too: NODE_ENV may have been set after the provider was made. */
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
