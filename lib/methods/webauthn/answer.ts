import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server"
import { BadRequest } from "../../errors.js"
import type { AuthCall } from "../../http/call.js"
import { isPlainObject } from "../../merge.js"

/** What the browser posted after a ceremony. */
export type CeremonyAnswer =
  | { readonly action: "authenticate"; readonly response: AuthenticationResponseJSON; readonly challenge: string }
  | { readonly action: "register"; readonly response: RegistrationResponseJSON; readonly challenge: string }

/** Twice the size of an answer with the largest keys and signatures that the library knows. */
const MAX_DATA_LENGTH = 32_768

function parseJson(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

/** The challenge that the browser says it was given (WebAuthn §5.8.1); whether that is so is checked later. */
function challengeIn(response: Readonly<Record<string, unknown>>): string | undefined {
  const { clientDataJSON } = response
  const client =
    typeof clientDataJSON === "string" ? parseJson(Buffer.from(clientDataJSON, "base64url").toString()) : {}
  const challenge = isPlainObject(client) ? client["challenge"] : undefined
  return typeof challenge === "string" && challenge !== "" ? challenge : undefined
}

/** The answer in a call, as far as it can be understood; undefined when it can't. */
export function readAnswer({ body }: Pick<AuthCall, "body">): CeremonyAnswer | undefined {
  const { action, data } = body
  if (typeof data !== "string" || data.length > MAX_DATA_LENGTH) return undefined
  const credential = parseJson(data)
  if (!isPlainObject(credential) || typeof credential["id"] !== "string" || credential["id"] === "") return undefined
  const response = credential["response"]
  const challenge = isPlainObject(response) ? challengeIn(response) : undefined
  if (challenge === undefined) return undefined
  // The library checks every member of it.
  const received = credential as unknown
  if (action === "authenticate") return { action, response: received as AuthenticationResponseJSON, challenge }
  if (action === "register") return { action, response: received as RegistrationResponseJSON, challenge }
  return undefined
}

/** What was posted, for the log. JSON can hold objects, which may not even be text when they are asked for it. */
export const shownText = (posted: unknown): string => (typeof posted === "string" ? posted.slice(0, 20) : "")

/** @throws BadRequest when it can't be understood */
export function requireAnswer(call: AuthCall): CeremonyAnswer {
  const answer = readAnswer(call)
  if (answer) return answer
  throw new BadRequest(
    "the passkey's answer can't be understood: action is authenticate or register, data the credential as JSON",
    { action: shownText(call.body["action"]) },
  )
}
