import type { Identity } from "../../accounts/identity.js"
import { AccountNotLinked } from "../../errors/errors.js"
import type { AuthCall } from "../../http/call.js"
import type { WebAuthnConfig } from "../../provider-kit/provider.js"
import { createLimitError } from "../../security/limits.js"
import { getUserInfo } from "../../security/passkey-user.js"
import { clientNetwork } from "../../security/rate-limit.js"
import { consumeFlow } from "../../security/sealed-flows.js"
import type { CallbackState, MethodRuntime, PendingFlow, SignInMethod } from "../method.js"
import { type Ceremony, dropCeremony, findCeremony } from "./challenge.js"
import { hasPasskey } from "./manage.js"
import { webauthnOptions } from "./options.js"
import { check, prepare, type ReadyWebAuthn } from "./prepare.js"
import { type CeremonyResponse, readResponse, refuseMalformed } from "./response.js"
import { currentUserIfTrusted } from "./subject.js"
import { authenticate, passkeyAmr, register, verificationError } from "./verify.js"

/**
 * Counts the sign-up of a new user per client, and per pair of email address and client. An address alone has no limit,
 * because another client could use up the limit of the address's owner.
 *
 * @throws TooManyAttempts if a limit is reached
 */
async function limitSignUps({ user, provider }: Ceremony, call: AuthCall, { limits }: MethodRuntime): Promise<void> {
  if (!user || !limits) return
  const { clientAddress } = call
  const perClient = await limits.countClient("passkeySignUpsPerClient", clientAddress)
  if (perClient !== undefined) throw createLimitError("passkeySignUpsPerClient", perClient, { provider })
  const subject = [clientNetwork(clientAddress), String(user.email ?? "")] as const
  const perAddress = await limits.count("passkeySignUpsPerAddress", ...subject)
  if (perAddress !== undefined) throw createLimitError("passkeySignUpsPerAddress", perAddress, { provider })
}

/** Reads the posted response, and clears the cookie of its challenge, which is valid for one response only. */
function resume(call: AuthCall): PendingFlow<CeremonyResponse | undefined> {
  const response = readResponse(call)
  if (response) call.trace?.identify(response.challenge, 2)
  return { pending: response, cookies: response ? dropCeremony(response.challenge, call) : [] }
}

interface FinishContext {
  readonly call: AuthCall
  readonly provider: ReadyWebAuthn
  readonly runtime: MethodRuntime
}

/**
 * Finds the ceremony of a response, and marks it as used.
 *
 * @throws WebAuthnVerificationError if this browser has no ceremony for the response, provider and action, or if the
 * ceremony was already used
 */
async function requireCeremony(
  response: CeremonyResponse,
  { call, provider, runtime }: FinishContext,
): Promise<Ceremony> {
  const found = findCeremony(response.challenge, call, runtime)
  const { ceremony } = found ?? {}
  if (!found || !ceremony || ceremony.provider !== provider.id || ceremony.action !== response.action)
    throw verificationError(
      "this browser has no pending ceremony for the response: the ceremony expired after 15 minutes, or is already finished",
      provider,
    )
  if (!(await consumeFlow(found, runtime))) throw verificationError("the passkey response was already used", provider)
  return ceremony
}

/**
 * Returns the current user.
 *
 * @throws WebAuthnVerificationError if the user has changed since the ceremony started, for example in another tab
 */
async function requireSameUser({ userId }: Ceremony, { call, provider, runtime }: FinishContext) {
  const user = await currentUserIfTrusted(call, runtime)
  if (userId === (user ? String(user.id) : undefined)) return user
  throw verificationError("the current user has changed since the registration started", provider)
}

async function finish(
  call: AuthCall,
  { provider, pending }: CallbackState<ReadyWebAuthn, CeremonyResponse | undefined>,
  runtime: MethodRuntime,
): Promise<Identity> {
  const response = pending ?? refuseMalformed(call)
  const context = { call, provider, runtime }
  const ceremony = await requireCeremony(response, context)
  await limitSignUps(ceremony, call, runtime)
  const currentUser = ceremony.action === "register" ? await requireSameUser(ceremony, context) : null
  call.trace?.write("webauthn", `the response belongs to a pending ceremony (${response.action})`)
  const verification = { ...context, ceremony, currentUser }
  const identity = await (response.action === "register"
    ? register(response, verification)
    : authenticate(response, verification))
  call.trace?.write("webauthn", "the passkey response is valid")
  return identity
}

/** Passkeys (WebAuthn level 3). */
export const webauthnMethod: SignInMethod<WebAuthnConfig, ReadyWebAuthn, CeremonyResponse | undefined> = {
  check,
  prepare,
  options: webauthnOptions,
  resume,
  finish,
  reauthentication: {
    isPossible: async ({ stored }, { id }, runtime) => stored !== null && (await hasPasskey(stored, id, runtime)),
    amr: ({ userVerification }) => passkeyAmr(userVerification.authenticate),
  },
  needs: {
    form: "passkey",
    adapter: [
      "createUser",
      "getUser",
      "getUserByAccount",
      "getUserByEmail",
      "linkAccount",
      "getAccount",
      "getAuthenticator",
      "createAuthenticator",
      "listAuthenticatorsByUserId",
      "updateAuthenticatorCounter",
    ],
    requiresAdapterFor: "passkeys",
    account: "linked",
    refusal: AccountNotLinked,
    hasPasskeys: true,
    // True only for the default `getUserInfo`, because a custom function may forbid sign-ups.
    allowsUnverifiedSignUp: (provider) => (provider.options?.getUserInfo ?? provider.getUserInfo) === getUserInfo,
    callbackMethods: () => ["POST"],
  },
}
