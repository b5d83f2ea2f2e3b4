import type { AuthCall } from "../../http/call.js"
import type { WebAuthnConfig } from "../../providers/provider.js"
import type { Runtime } from "../../runtime.js"
import { takeAttempt } from "../../security/sealed-attempts.js"
import type { Attempt, Identity, SignInMethod } from "../method.js"
import { type CeremonyAnswer, readAnswer, requireAnswer } from "./answer.js"
import { type Ceremony, dropCeremony, findCeremony } from "./challenge.js"
import { limitSignUps } from "./limit.js"
import { webauthnOptions } from "./options.js"
import { signedInUser } from "./person.js"
import { check, prepare, type ReadyWebAuthn } from "./prepare.js"
import { authenticate, refuse, register } from "./verify.js"

/** A challenge is for one answer, whatever comes of it. */
function resume(call: AuthCall): Attempt {
  const answer = readAnswer(call)
  if (answer) call.story?.identify(answer.challenge, 2)
  return { cookies: answer ? dropCeremony(answer.challenge, call) : [] }
}

interface Receipt {
  readonly call: AuthCall
  readonly provider: ReadyWebAuthn
  readonly runtime: Runtime
}

/** The ceremony that the answer belongs to: this browser's, for this provider and this purpose, and not used before. */
async function requireCeremony(answer: CeremonyAnswer, { call, provider, runtime }: Receipt): Promise<Ceremony> {
  const found = findCeremony(answer.challenge, call, runtime)
  const { ceremony } = found ?? {}
  if (!found || !ceremony || ceremony.provider !== provider.id || ceremony.action !== answer.action)
    throw refuse("this browser has no such ceremony under way: it is older than 15 minutes, or was finished", provider)
  if (!(await takeAttempt(found, runtime))) throw refuse("the passkey's answer was sent before", provider)
  return ceremony
}

/** Who is signed in; somebody else may have signed in to this browser since, in another tab. */
async function requireSamePerson({ userId }: Ceremony, { call, provider, runtime }: Receipt) {
  const user = await signedInUser(call, runtime)
  if (userId === (user ? String(user.id) : undefined)) return user
  throw refuse("the registration was begun by somebody else than who is signed in now", provider)
}

async function finish(call: AuthCall, provider: ReadyWebAuthn, runtime: Runtime): Promise<Identity> {
  const answer = requireAnswer(call)
  const receipt = { call, provider, runtime }
  const ceremony = await requireCeremony(answer, receipt)
  await limitSignUps(ceremony, call, runtime)
  const signedIn = ceremony.action === "register" ? await requireSamePerson(ceremony, receipt) : null
  call.story?.tell("webauthn", `the browser answers the challenge of this ceremony, to ${answer.action}`)
  const verification = { ...receipt, ceremony, signedIn }
  const identity = await (answer.action === "register"
    ? register(answer, verification)
    : authenticate(answer, verification))
  call.story?.tell("webauthn", "the passkey's answer holds")
  return identity
}

/** Passkeys (WebAuthn level 3). */
export const webauthnMethod: SignInMethod<WebAuthnConfig, ReadyWebAuthn> = {
  check,
  prepare,
  options: webauthnOptions,
  resume,
  finish,
  needs: {
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
    requiresAdapter: true,
    finishBy: () => ["POST"],
  },
}
