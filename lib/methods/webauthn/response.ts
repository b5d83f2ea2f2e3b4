import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server"
import { isPlainObject } from "../../base/merge.js"
import { BadRequest } from "../../errors/errors.js"
import type { AuthCall } from "../../http/call.js"

/** The client data of a response (WebAuthn §5.8.1), not verified yet. */
interface ClientData {
  readonly challenge: string
  /** True if the ceremony ran in a cross-origin iframe. */
  readonly isCrossOrigin: boolean
}

/** The response that the browser posts after a ceremony. */
export type CeremonyResponse = ClientData &
  (
    | { readonly action: "authenticate"; readonly response: AuthenticationResponseJSON }
    | { readonly action: "register"; readonly response: RegistrationResponseJSON }
  )

/** The maximum length: twice that of a response with the largest keys and signatures that the library supports. */
const MAX_DATA_LENGTH = 32_768

function parseJson(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

function readClientData({ clientDataJSON }: Readonly<Record<string, unknown>>): ClientData | undefined {
  const client =
    typeof clientDataJSON === "string" ? parseJson(Buffer.from(clientDataJSON, "base64url").toString()) : {}
  if (!isPlainObject(client)) return undefined
  const { challenge, crossOrigin } = client
  return typeof challenge === "string" && challenge !== ""
    ? { challenge, isCrossOrigin: crossOrigin === true }
    : undefined
}

/** Parses the posted response. Undefined if it is malformed. */
export function readResponse({ body }: Pick<AuthCall, "body">): CeremonyResponse | undefined {
  const { action, data } = body
  if (typeof data !== "string" || data.length > MAX_DATA_LENGTH) return undefined
  const credential = parseJson(data)
  if (!isPlainObject(credential) || typeof credential["id"] !== "string" || credential["id"] === "") return undefined
  const response = credential["response"]
  const client = isPlainObject(response) ? readClientData(response) : undefined
  if (!client) return undefined
  // The cast is safe, because the library validates all members.
  const received = credential as unknown
  if (action === "authenticate") return { action, response: received as AuthenticationResponseJSON, ...client }
  if (action === "register") return { action, response: received as RegistrationResponseJSON, ...client }
  return undefined
}

/** Returns the first 20 characters of a posted string; "" for other values, because an object's `toString` may fail. */
export const shortenForLog = (posted: unknown): string => (typeof posted === "string" ? posted.slice(0, 20) : "")

/** Throws the BadRequest for a malformed response. */
export function refuseMalformed(call: AuthCall): never {
  throw new BadRequest(
    'the passkey response is malformed: action must be "authenticate" or "register", and data must be the credential as JSON',
    { action: shortenForLog(call.body["action"]) },
  )
}
