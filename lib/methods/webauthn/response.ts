import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server"
import { isPlainObject } from "../../base/merge.js"
import { BadRequest } from "../../errors/errors.js"
import type { AuthCall } from "../../http/call.js"

/** The response that the browser posts after a ceremony. */
export type CeremonyResponse =
  | { readonly action: "authenticate"; readonly response: AuthenticationResponseJSON; readonly challenge: string }
  | { readonly action: "register"; readonly response: RegistrationResponseJSON; readonly challenge: string }

/** Twice the size of a response with the largest keys and signatures that the library supports. */
const MAX_DATA_LENGTH = 32_768

function parseJson(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

/** Reads the challenge from the client data (WebAuthn §5.8.1). It is verified later. */
function readChallenge(response: Readonly<Record<string, unknown>>): string | undefined {
  const { clientDataJSON } = response
  const client =
    typeof clientDataJSON === "string" ? parseJson(Buffer.from(clientDataJSON, "base64url").toString()) : {}
  const challenge = isPlainObject(client) ? client["challenge"] : undefined
  return typeof challenge === "string" && challenge !== "" ? challenge : undefined
}

/** Parses the response in a call; undefined if it is malformed. */
export function readResponse({ body }: Pick<AuthCall, "body">): CeremonyResponse | undefined {
  const { action, data } = body
  if (typeof data !== "string" || data.length > MAX_DATA_LENGTH) return undefined
  const credential = parseJson(data)
  if (!isPlainObject(credential) || typeof credential["id"] !== "string" || credential["id"] === "") return undefined
  const response = credential["response"]
  const challenge = isPlainObject(response) ? readChallenge(response) : undefined
  if (challenge === undefined) return undefined
  // The library validates all members.
  const received = credential as unknown
  if (action === "authenticate") return { action, response: received as AuthenticationResponseJSON, challenge }
  if (action === "register") return { action, response: received as RegistrationResponseJSON, challenge }
  return undefined
}

/** A posted value for the log. Objects are omitted, because their `toString` may fail. */
export const displayText = (posted: unknown): string => (typeof posted === "string" ? posted.slice(0, 20) : "")

/** @throws BadRequest if the response is malformed */
export function requireResponse(call: AuthCall): CeremonyResponse {
  const answer = readResponse(call)
  if (answer) return answer
  throw new BadRequest(
    'the passkey response is malformed: action must be "authenticate" or "register", and data the credential as JSON',
    { action: displayText(call.body["action"]) },
  )
}
