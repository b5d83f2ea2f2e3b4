import type { ResolvedConfig } from "../../config/resolve.js"
import { type ConfigProblem, configProblem } from "../../errors.js"
import { defined } from "../../merge.js"
import type { WebAuthnConfig } from "../../providers/provider.js"
import type { ReadyProvider } from "../method.js"
import { isInstalled } from "./library.js"

/** A passkey provider with everything worked out that depends on the configuration alone. */
export interface ReadyWebAuthn extends ReadyProvider {
  readonly type: "webauthn"
  readonly source: WebAuthnConfig
  /** Are people to be known by a finger or a PIN, too? */
  readonly userVerification: { readonly authenticate: boolean; readonly register: boolean }
  readonly ceremony: NonNullable<ReadyProvider["ceremony"]>
  readonly revealsAccounts: boolean
  /** Makes ids that look like passkeys' for addresses that have none. */
  readonly decoyPurpose: string
}

const merged = (provider: WebAuthnConfig): WebAuthnConfig => ({ ...provider, ...defined(provider.options) })

/** The field `email` takes an email address, also where the provider of Auth.js does not say so. */
const toInputs = (fields: WebAuthnConfig["formFields"] = {}): WebAuthnConfig["formFields"] =>
  fields["email"] ? { ...fields, email: { type: "email", ...fields["email"] } } : fields

export function prepare(provider: WebAuthnConfig): ReadyWebAuthn {
  const source = merged(provider)
  const requires = (options: { requireUserVerification?: boolean } | undefined) =>
    options?.requireUserVerification ?? true
  return {
    id: source.id,
    name: source.name,
    type: "webauthn",
    inputs: toInputs(source.formFields),
    source,
    userVerification: {
      authenticate: requires(source.verifyAuthenticationOptions),
      register: requires(source.verifyRegistrationOptions),
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
  const others = providers.filter(({ type }) => type === "webauthn").map((other) => merged(other as WebAuthnConfig))
  const first = others.find(({ enableConditionalUI }) => enableConditionalUI)
  const fields = Object.values(source.formFields ?? {})
  const isOffered = fields.some(({ autocomplete }) =>
    String(autocomplete ?? "")
      .split(/\s+/)
      .includes("webauthn"),
  )
  return [
    ...(first && first.id !== source.id
      ? [
          configProblem(
            "passkey-autofill-twice",
            `${path}.enableConditionalUI`,
            `is on, and so it is for "${first.id}"; one provider can fill in a field. Write { enableConditionalUI: false }`,
          ),
        ]
      : []),
    ...(isOffered
      ? []
      : [
          configProblem(
            "passkey-autofill-missing",
            `${path}.formFields`,
            'has no field with autocomplete "webauthn". Write { formFields: { email: { autocomplete: "username webauthn" } } }, or { enableConditionalUI: false }',
          ),
        ]),
  ]
}

/** It names a script of Auth.js's pages; ours is part of this package. */
function checkVersion({ simpleWebAuthnBrowserVersion: version }: WebAuthnConfig, path: string): ConfigProblem[] {
  if (!version || /^v\d+(?:\.\d+){0,2}$/.test(version)) return []
  return [
    {
      ...configProblem(
        "passkey-script-version",
        `${path}.simpleWebAuthnBrowserVersion`,
        `is "${version}". Leave it out: it is not used here`,
      ),
      // The contract's type for it.
      type: "AuthError",
    },
  ]
}

/** Certificates of authenticators are not verified: an application that asks for them would rely on nothing. */
function checkAttestation({ registrationOptions }: WebAuthnConfig, path: string): ConfigProblem[] {
  const type: unknown = registrationOptions?.attestationType
  if (type === undefined || type === "none") return []
  const message = `is ${JSON.stringify(type)}, and attestation is not verified here. Leave it out`
  return [configProblem("passkey-attestation", `${path}.registrationOptions.attestationType`, message)]
}

/** A domain: the browser refuses anything else, and says so to nobody but the person. */
function checkRelyingParty({ relayingParty }: WebAuthnConfig, path: string): ConfigProblem[] {
  const [id] = [relayingParty?.id].flat()
  if (id === undefined || /^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/i.test(id)) return []
  return [
    configProblem(
      "relying-party-invalid",
      `${path}.relayingParty.id`,
      `is ${JSON.stringify(id)}, which is no domain. Write "example.com"`,
    ),
  ]
}

export function check(provider: WebAuthnConfig, path: string, config: ResolvedConfig): ConfigProblem[] {
  const source = merged(provider)
  return [
    ...(isInstalled()
      ? []
      : [
          configProblem(
            "package-missing",
            path,
            "needs a package that is not installed. Run npm install @simplewebauthn/server",
          ),
        ]),
    ...checkVersion(source, path),
    ...checkAttestation(source, path),
    ...checkAutofill(source, path, config),
    ...checkRelyingParty(source, path),
  ]
}
