/**
 * What was pasted for a provider: looked at without asking anybody.
 *
 * @module
 */
import type { MessageCode } from "../../codes/index.js"
import { envPrefix } from "../../env-name.js"
import { mergeProvider } from "../../methods/oauth/endpoint.js"
import type { CredentialShapes, OAuthConfig, ProviderObject } from "../../providers/provider.js"
import { type Check, type DoctorFinding, fail, ok } from "./finding.js"

const PLACEHOLDER = /^(?:<.*>|\[.*\]|x{3,}|\.{3}|…|todo|tbd|change.?me|(?:your|my|insert|replace|enter)[\W_].*)$/i
const QUOTED = /^(["'`]).*\1$/s

/** What is wrong with how a value was pasted; never the value. */
function blemishOf(value: string): { code: MessageCode; cause: string } | undefined {
  if (value !== value.trim()) return { code: "credential-malformed", cause: "has white space around it" }
  if (QUOTED.test(value)) return { code: "credential-malformed", cause: "has quotation marks around it" }
  if (PLACEHOLDER.test(value)) return { code: "credential-placeholder", cause: "is a placeholder" }
  return undefined
}

interface Pasted {
  readonly subject: string
  readonly id: string
  readonly clientId: string
  /** Undefined for one that is made by a function. */
  readonly clientSecret: string | undefined
  readonly shapes: CredentialShapes | undefined
}

const matches = (shape: RegExp | undefined, value: string | undefined): boolean =>
  shape !== undefined && value !== undefined && shape.test(value)

/** Each in the other's place, as far as the vendor's shapes tell for certain. */
const isSwapped = ({ clientId, clientSecret, shapes }: Pasted): boolean =>
  (matches(shapes?.clientId, clientSecret) && !matches(shapes?.clientId, clientId)) ||
  (matches(shapes?.clientSecret, clientId) && !matches(shapes?.clientSecret, clientSecret))

/** The findings of one provider's id and secret. */
export function checkPasted(pasted: Pasted): DoctorFinding[] {
  const { subject, id, clientId, clientSecret } = pasted
  const prefix = envPrefix(id)
  const again = (variable: string) => ({
    write: `${variable}=… as the provider's console shows it, and nothing around it`,
  })
  const found = Object.entries({ clientId, clientSecret }).flatMap(([option, value]): DoctorFinding[] => {
    const blemish = value ? blemishOf(value) : undefined
    const variable = option === "clientId" ? `${prefix}_ID` : `${prefix}_SECRET`
    return blemish ? [fail(blemish.code, subject, `${option} ${blemish.cause}`, again(variable))] : []
  })
  if (found.length > 0) return found
  if (clientId && clientId === clientSecret)
    return [fail("credentials-swapped", subject, "clientId and clientSecret are the same", again(`${prefix}_SECRET`))]
  if (isSwapped(pasted))
    return [
      fail("credentials-swapped", subject, "clientId and clientSecret stand in each other's place", {
        write: `${prefix}_ID=the id\n${prefix}_SECRET=the secret`,
      }),
    ]
  return clientId ? [ok("credential-malformed", subject, "id and secret look right")] : []
}

const isOAuth = (provider: ProviderObject): provider is OAuthConfig =>
  provider.type === "oauth" || provider.type === "oidc"

function pastedOf(provider: OAuthConfig): Pasted {
  const { id, clientId = "", clientSecret, credentialShapes } = mergeProvider(provider)
  const secret = typeof clientSecret === "string" ? clientSecret : undefined
  return { subject: id, id, clientId, clientSecret: secret, shapes: credentialShapes }
}

function checkApiKey(provider: ProviderObject): DoctorFinding[] {
  const { id, apiKey }: Record<string, unknown> = { ...provider, ...provider.options }
  const blemish = typeof apiKey === "string" && apiKey ? blemishOf(apiKey) : undefined
  return blemish
    ? [fail(blemish.code, String(id), `apiKey ${blemish.cause}`, { write: `${envPrefix(String(id))}_KEY=…` })]
    : []
}

/** Whether they are there is checked with the configuration. */
export const checkClients: Check = {
  group: "Providers",
  code: "credential-malformed",
  run: ({ providers }) =>
    providers.flatMap((provider) =>
      isOAuth(provider) ? checkPasted(pastedOf(provider)) : provider.type === "email" ? checkApiKey(provider) : [],
    ),
}
