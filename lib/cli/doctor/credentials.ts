/**
 * Checks the credentials of a provider for copy-and-paste errors, without network requests.
 *
 * @module
 */
import { envPrefix } from "../../base/text.js"
import type { MessageCode } from "../../errors/message-code.js"
import { isOAuth, mergeProvider } from "../../methods/oauth/endpoint.js"
import { mergeOptions } from "../../methods/shared/merge-options.js"
import type { CredentialShapes, ProviderObject } from "../../provider-kit/provider.js"
import { type DoctorContext, type DoctorFinding, fail, ok } from "./check.js"

const PLACEHOLDER = /^(?:<.*>|\[.*\]|x{3,}|\.{3}|…|todo|tbd|change.?me|(?:your|my|insert|replace|enter)[\W_].*)$/i
const QUOTED = /^(["'`]).*\1$/s

/** Returns the copy-and-paste error in a value; undefined without one. The cause does not contain the value. */
function findDefect(value: string): { code: MessageCode; cause: string } | undefined {
  if (value !== value.trim()) return { code: "credential-malformed", cause: "has white space around it" }
  if (QUOTED.test(value)) return { code: "credential-malformed", cause: "has quotation marks around it" }
  if (PLACEHOLDER.test(value)) return { code: "credential-placeholder", cause: "is a placeholder" }
  return undefined
}

function defectFindings(id: string, option: string, { variable = "", value }: { variable?: string; value: unknown }) {
  const defect = typeof value === "string" && value ? findDefect(value) : undefined
  const fix = `${variable}=…\nCopy the value exactly as the provider's console shows it`
  return defect ? [fail(defect.code, id, { cause: `${option} ${defect.cause}`, fix })] : []
}

interface CredentialValues {
  readonly id: string
  readonly clientId: string
  /** Undefined if a function returns the secret. */
  readonly clientSecret: string | undefined
  readonly shapes: CredentialShapes | undefined
}

const matches = (shape: RegExp | undefined, value: string | undefined): boolean =>
  shape !== undefined && value !== undefined && shape.test(value)

/** True if the id and the secret are equal, or if the vendor's formats prove that they are swapped. */
const isSwapped = ({ clientId, clientSecret, shapes }: CredentialValues): boolean =>
  (clientId !== "" && clientId === clientSecret) ||
  (matches(shapes?.clientId, clientSecret) && !matches(shapes?.clientId, clientId)) ||
  (matches(shapes?.clientSecret, clientId) && !matches(shapes?.clientSecret, clientSecret))

/** Checks the id and the secret of one provider. */
export function checkCredentialValues(values: CredentialValues): DoctorFinding[] {
  const { id, clientId, clientSecret } = values
  const prefix = envPrefix(id)
  const found = [
    ...defectFindings(id, "clientId", { variable: `${prefix}_ID`, value: clientId }),
    ...defectFindings(id, "clientSecret", { variable: `${prefix}_SECRET`, value: clientSecret }),
  ]
  if (found.length > 0) return found
  if (isSwapped(values))
    return [fail("credentials-swapped", id, { fix: `${prefix}_ID=the id\n${prefix}_SECRET=the secret` })]
  return clientId ? [ok("credential-malformed", id, "id and secret look right")] : []
}

function checkProvider(provider: ProviderObject): DoctorFinding[] {
  if (isOAuth(provider)) {
    const { id, clientId = "", clientSecret, credentialShapes: shapes } = mergeProvider(provider)
    return checkCredentialValues({
      ...{ id, clientId, shapes },
      clientSecret: typeof clientSecret === "string" ? clientSecret : undefined,
    })
  }
  const { id, apiKey: value }: Record<string, unknown> = { ...mergeOptions(provider) }
  return defectFindings(String(id), "apiKey", { variable: `${envPrefix(String(id))}_KEY`, value })
}

/** Checks the credentials of all providers. `checkConfiguration` reports missing credentials. */
export const checkCredentials = ({ resolved }: DoctorContext): DoctorFinding[] =>
  resolved.providers.flatMap(checkProvider)
