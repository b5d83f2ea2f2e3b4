import type { ResolvedConfig } from "../../config/resolved-config.js"
import { type ConfigProblem, configProblem, invalidOption, listProblems } from "../../errors/errors.js"
import type { WebAuthnConfig } from "../../provider-kit/provider.js"
import type { ReadyProvider } from "../method.js"
import { mergeOptions } from "../shared/merge-options.js"
import { isInstalled } from "./library.js"

/** A passkey provider, prepared from the configuration. */
export interface ReadyWebAuthn extends ReadyProvider {
  readonly type: "webauthn"
  /** The provider with its options merged, as the application's functions receive it. */
  readonly source: WebAuthnConfig
  /** For each ceremony: true if the authenticator must verify the user, by biometrics or a PIN. */
  readonly userVerification: { readonly authenticate: boolean; readonly register: boolean }
  readonly ceremony: NonNullable<ReadyProvider["ceremony"]>
  readonly revealsAccounts: boolean
  /** The key derivation purpose for decoy credential ids. */
  readonly decoyPurpose: string
}

/** Adds the type "email" to the field `email`. Configurations for Auth.js may omit it. */
const toInputs = (fields: WebAuthnConfig["formFields"] = {}): WebAuthnConfig["formFields"] =>
  fields["email"] ? { ...fields, email: { type: "email", ...fields["email"] } } : fields

export function prepare(provider: WebAuthnConfig): ReadyWebAuthn {
  const source = mergeOptions(provider)
  const requiresVerification = (options: { requireUserVerification?: boolean } | undefined) =>
    options?.requireUserVerification ?? true
  return {
    id: source.id,
    name: source.name,
    type: "webauthn",
    inputs: toInputs(source.formFields),
    source,
    userVerification: {
      authenticate: requiresVerification(source.verifyAuthenticationOptions),
      register: requiresVerification(source.verifyRegistrationOptions),
    },
    ceremony: {
      hasAutofill: source.enableConditionalUI,
      isDiscoverable: source.registrationOptions?.authenticatorSelection?.residentKey === "required",
    },
    revealsAccounts: source.revealAccounts ?? false,
    decoyPurpose: `latchkey.decoy ${source.id}`,
  }
}

function checkAutofill(source: WebAuthnConfig, path: string, { providers }: ResolvedConfig): ConfigProblem[] {
  if (!source.enableConditionalUI) return []
  const passkeyProviders = providers
    .filter(({ type }) => type === "webauthn")
    .map((other) => mergeOptions(other as WebAuthnConfig))
  const first = passkeyProviders.find(({ enableConditionalUI }) => enableConditionalUI)
  const fields = Object.values(source.formFields ?? {})
  const hasAutofillField = fields.some(({ autocomplete }) =>
    String(autocomplete ?? "")
      .split(/\s+/)
      .includes("webauthn"),
  )
  return listProblems(
    first &&
      first.id !== source.id &&
      configProblem(
        "passkey-autofill-twice",
        `${path}.enableConditionalUI`,
        `is also on for "${first.id}", and only one provider can use autofill`,
        "Write { enableConditionalUI: false }",
      ),
    !hasAutofillField &&
      configProblem(
        "passkey-autofill-missing",
        `${path}.formFields`,
        'has no field with autocomplete "webauthn"',
        'Write { formFields: { email: { autocomplete: "username webauthn" } } }, or { enableConditionalUI: false }',
      ),
  )
}

/** Checks the option with which Auth.js selects the version of its script. It has no effect: our script is built in. */
function checkVersion({ simpleWebAuthnBrowserVersion: version }: WebAuthnConfig, path: string): ConfigProblem[] {
  if (!version || /^v\d+(?:\.\d+){0,2}$/.test(version)) return []
  const problem = invalidOption(
    `${path}.simpleWebAuthnBrowserVersion`,
    `is "${version}"`,
    "Leave it out: the script is part of this package",
  )
  // Auth.js throws an error of this type too.
  return [{ ...problem, type: "AuthError" }]
}

/** Rejects an option that requests attestation, because the certificates of authenticators are not verified. */
function checkAttestation({ registrationOptions }: WebAuthnConfig, path: string): ConfigProblem[] {
  const type: unknown = registrationOptions?.attestationType
  if (type === undefined || type === "none") return []
  const found = `is ${JSON.stringify(type)}, but attestation is not verified`
  return [invalidOption(`${path}.registrationOptions.attestationType`, found, "Leave it out")]
}

/** Requires the id to be a domain. Browsers reject any other id, which the server would not notice. */
function checkRelyingParty({ relayingParty }: WebAuthnConfig, path: string): ConfigProblem[] {
  const [id] = [relayingParty?.id].flat()
  if (id === undefined || /^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/i.test(id)) return []
  const found = `is ${JSON.stringify(id)}, which is not a domain`
  return [invalidOption(`${path}.relayingParty.id`, found, 'Write "example.com"')]
}

export function check(provider: WebAuthnConfig, path: string, config: ResolvedConfig): ConfigProblem[] {
  const source = mergeOptions(provider)
  const fix = "Run npm install @simplewebauthn/server"
  return listProblems(
    !isInstalled() && configProblem("package-missing", path, "needs a package that is not installed", fix),
    ...checkVersion(source, path),
    ...checkAttestation(source, path),
    ...checkAutofill(source, path, config),
    ...checkRelyingParty(source, path),
  )
}
