import type { Identity } from "../../accounts/identity.js"
import { AccountNotLinked } from "../../errors/errors.js"
import type { AuthCall } from "../../http/call.js"
import type { WebAuthnConfig } from "../../provider-kit/provider.js"
import { limitReached } from "../../security/limits.js"
import { getUserInfo } from "../../security/passkey-user.js"
import { addressBucket } from "../../security/rate-limit.js"
import { consumeFlow } from "../../security/sealed-flows.js"
import type { CallbackState, MethodRuntime, PendingFlow, SignInMethod } from "../method.js"
import { type Ceremony, dropCeremony, findCeremony } from "./challenge.js"
import { hasPasskey } from "./manage.js"
import { webauthnOptions } from "./options.js"
import { check, prepare, type ReadyWebAuthn } from "./prepare.js"
import { type CeremonyResponse, readResponse, refuseMalformed } from "./response.js"
import { signedInUser } from "./subject.js"
import { authenticate, passkeyAmr, refuse, register } from "./verify.js"

/**
 * Counts the sign-up of a new user per client, and per email address and client, so that another client cannot use up
 * the owner's limit.
 *
 * @throws TooManyAttempts if a limit is reached
 */
async function limitSignUps({ user, provider }: Ceremony, call: AuthCall, { limits }: MethodRuntime): Promise<void> {
  if (!user || !limits) return
  const { clientAddress } = call
  const perClient = await limits.countClient("passkeySignUpsPerClient", clientAddress)
  if (perClient !== undefined) throw limitReached("passkeySignUpsPerClient", perClient, { provider })
  const subject = [addressBucket(clientAddress), String(user.email ?? "")] as const
  const perAddress = await limits.count("passkeySignUpsPerAddress", ...subject)
  if (perAddress !== undefined) throw limitReached("passkeySignUpsPerAddress", perAddress, { provider })
}

/** Clears the challenge, which is valid for one response only. */
function resume(call: AuthCall): PendingFlow<CeremonyResponse | undefined> {
  const answer = readResponse(call)
  if (answer) call.trace?.identify(answer.challenge, 2)
  return { pending: answer, cookies: answer ? dropCeremony(answer.challenge, call) : [] }
}

interface FinishContext {
  readonly call: AuthCall
  readonly provider: ReadyWebAuthn
  readonly runtime: MethodRuntime
}

/** Finds the ceremony of a response: started by this browser, for this provider and action, and not used before. */
async function requireCeremony(
  answer: CeremonyResponse,
  { call, provider, runtime }: FinishContext,
): Promise<Ceremony> {
  const found = findCeremony(answer.challenge, call, runtime)
  const { ceremony } = found ?? {}
  if (!found || !ceremony || ceremony.provider !== provider.id || ceremony.action !== answer.action)
    throw refuse(
      "this browser has no pending ceremony for this response: it is older than 15 minutes or already finished",
      provider,
    )
  if (!(await consumeFlow(found, runtime))) throw refuse("the passkey response was already used", provider)
  return ceremony
}

/** Returns the current user. Another user may have signed in since, in another tab. */
async function requireSameSubject({ userId }: Ceremony, { call, provider, runtime }: FinishContext) {
  const user = await signedInUser(call, runtime)
  if (userId === (user ? String(user.id) : undefined)) return user
  throw refuse("the registration was started by a user other than the current one", provider)
}

async function finish(
  call: AuthCall,
  { provider, pending }: CallbackState<ReadyWebAuthn, CeremonyResponse | undefined>,
  runtime: MethodRuntime,
): Promise<Identity> {
  const answer = pending ?? refuseMalformed(call)
  const context = { call, provider, runtime }
  const ceremony = await requireCeremony(answer, context)
  await limitSignUps(ceremony, call, runtime)
  const signedIn = ceremony.action === "register" ? await requireSameSubject(ceremony, context) : null
  call.trace?.write("webauthn", `the response belongs to a pending ceremony (${answer.action})`)
  const verification = { ...context, ceremony, signedIn }
  const identity = await (answer.action === "register"
    ? register(answer, verification)
    : authenticate(answer, verification))
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
    // A custom `getUserInfo` may forbid sign-ups.
    allowsUnverifiedSignUp: (provider) => (provider.options?.getUserInfo ?? provider.getUserInfo) === getUserInfo,
    callbackMethods: () => ["POST"],
  },
}
