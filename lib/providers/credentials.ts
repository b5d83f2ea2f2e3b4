import type { CredentialInput, CredentialsConfig } from "../provider-kit/provider.js"

/**
 * Sign-in with your own form fields, for example a name and a password, checked by your own function.
 *
 * The provider reads no environment variables and needs no registration. The form posts to
 * `https://example.com/auth/callback/credentials`.
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
    // No fields yet: the fields of type C are in the options, which are merged later.
    credentials: {} as C,
    authorize: () => null,
    options,
  }
}
