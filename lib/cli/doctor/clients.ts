/**
 * Checks the credentials of a provider for copy-and-paste errors, without network requests.
 *
 * @module
 */

import { envPrefix } from "../../base/env-name.js"
import type { MessageCode } from "../../errors/message-code.js"
import { mergeProvider } from "../../methods/oauth/endpoint.js"
import type { CredentialShapes, OAuthConfig, ProviderObject } from "../../provider-kit/provider.js"
import { type Check, type DoctorFinding, fail, ok } from "./finding.js"

const PLACEHOLDER = /^(?:<.*>|\[.*\]|x{3,}|\.{3}|…|todo|tbd|change.?me|(?:your|my|insert|replace|enter)[\W_].*)$/i
const QUOTED = /^(["'`]).*\1$/s

/** Returns the problem of a pasted value, without the value itself. */
function findDefect(value: string): { code: MessageCode; cause: string } | undefined {
  if (value !== value.trim()) return { code: "credential-malformed", cause: "has white space around it" }
  if (QUOTED.test(value)) return { code: "credential-malformed", cause: "has quotation marks around it" }
  if (PLACEHOLDER.test(value)) return { code: "credential-placeholder", cause: "is a placeholder" }
  return undefined
}

interface CredentialValues {
  readonly subject: string
  readonly id: string
  readonly clientId: string
  /** Undefined for a secret that a function returns. */
  readonly clientSecret: string | undefined
  readonly shapes: CredentialShapes | undefined
}

const matches = (shape: RegExp | undefined, value: string | undefined): boolean =>
  shape !== undefined && value !== undefined && shape.test(value)

/** True if the vendor's formats prove that id and secret are swapped. */
const isSwapped = ({ clientId, clientSecret, shapes }: CredentialValues): boolean =>
  (matches(shapes?.clientId, clientSecret) && !matches(shapes?.clientId, clientId)) ||
  (matches(shapes?.clientSecret, clientId) && !matches(shapes?.clientSecret, clientSecret))

/** The findings of one provider's id and secret. */
export function checkCredentialValues(values: CredentialValues): DoctorFinding[] {
  const { subject, id, clientId, clientSecret } = values
  const prefix = envPrefix(id)
  const pasteAgain = (variable: string) => ({
    fix: `${variable}=… exactly as the provider's console shows it`,
  })
  const found = Object.entries({ clientId, clientSecret }).flatMap(([option, value]): DoctorFinding[] => {
    const defect = value ? findDefect(value) : undefined
    const variable = option === "clientId" ? `${prefix}_ID` : `${prefix}_SECRET`
    return defect ? [fail(defect.code, subject, `${option} ${defect.cause}`, pasteAgain(variable))] : []
  })
  if (found.length > 0) return found
  if (clientId && clientId === clientSecret)
    return [
      fail("credentials-swapped", subject, "clientId and clientSecret are the same", pasteAgain(`${prefix}_SECRET`)),
    ]
  if (isSwapped(values))
    return [
      fail("credentials-swapped", subject, "clientId and clientSecret are swapped", {
        fix: `${prefix}_ID=the id\n${prefix}_SECRET=the secret`,
      }),
    ]
  return clientId ? [ok("credential-malformed", subject, "id and secret look right")] : []
}

const isOAuth = (provider: ProviderObject): provider is OAuthConfig =>
  provider.type === "oauth" || provider.type === "oidc"

function readCredentialValues(provider: OAuthConfig): CredentialValues {
  const { id, clientId = "", clientSecret, credentialShapes } = mergeProvider(provider)
  const secret = typeof clientSecret === "string" ? clientSecret : undefined
  return { subject: id, id, clientId, clientSecret: secret, shapes: credentialShapes }
}

function checkApiKey(provider: ProviderObject): DoctorFinding[] {
  const { id, apiKey }: Record<string, unknown> = { ...provider, ...provider.options }
  const defect = typeof apiKey === "string" && apiKey ? findDefect(apiKey) : undefined
  return defect
    ? [fail(defect.code, String(id), `apiKey ${defect.cause}`, { fix: `${envPrefix(String(id))}_KEY=…` })]
    : []
}

/** The check of the configuration reports missing credentials. */
export const checkClients: Check = {
  group: "Providers",
  code: "credential-malformed",
  run: ({ providers }) =>
    providers.flatMap((provider) =>
      isOAuth(provider)
        ? checkCredentialValues(readCredentialValues(provider))
        : provider.type === "email"
          ? checkApiKey(provider)
          : [],
    ),
}
