import type { CredentialInput, CredentialsConfig } from "./provider.js"

/**
 * Sign-in with fields of your own, a name and a password for instance, checked by your own function.
 *
 * Nothing is read from the environment, nothing is registered anywhere: the form posts to
 * `https://example.com/auth/callback/credentials`.
 *
 * @example
 * import Credentials from "latchkey/providers/credentials"
 * Credentials({
 *   credentials: { email: { type: "email" }, password: { type: "password" } },
 *   authorize: ({ email, password }) => users.check(String(email), String(password)), // a user, or null
 * })
 */
export default function Credentials<C extends Record<string, CredentialInput> = Record<string, CredentialInput>>(
  options: Partial<CredentialsConfig<C>> = {},
): CredentialsConfig<C> {
  return {
    id: "credentials",
    name: "Credentials",
    type: "credentials",
    // No field, until the options are merged over it: C is what they say.
    credentials: {} as C,
    authorize: () => null,
    options,
  }
}
