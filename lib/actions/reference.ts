/**
 * The reference of a failure on its way to the page that tells of it. A cookie carries it: the address of the page is
 * the contract's, and in an address anybody could write one. What a developer is told stays in the process; the cookie
 * knows where.
 *
 * @module
 */
import type { AuthCall } from "../http/call.js"
import { type CookieChange, REFERENCE_MAX_AGE_SECONDS } from "../http/cookies.js"
import type { FailureRecord } from "../logger.js"
import { developerProps } from "../pages/developer.js"
import type { DeveloperProps } from "../pages/props.js"
import type { Runtime } from "../runtime.js"
import { type Claims, open, seal } from "../security/jwe.js"
import { randomText } from "../security/tokens.js"

/** Seals of a reference open for nothing else. */
const PURPOSE = "latchkey.reference"

/** What a page is to tell of a failure. */
export interface Told {
  /** Under which it stands in the log; undefined for what people do. */
  readonly reference: string | undefined
  /** What a developer is told; undefined for everybody else. */
  readonly diagnosis: FailureRecord | undefined
}

function keep(diagnosis: FailureRecord | undefined, { diagnoses }: Runtime): string | undefined {
  if (!diagnosis) return undefined
  const key = randomText()
  diagnoses.set(key, diagnosis)
  return key
}

/** Sends along what there is to tell, to the page that is called with this `error`. */
export function sendReference({ reference, diagnosis }: Told, error: string, runtime: Runtime): CookieChange[] {
  if (reference === undefined && diagnosis === undefined) return []
  const claims = { reference, error, diagnosis: keep(diagnosis, runtime) }
  const value = seal(claims, runtime.keys.for(PURPOSE), REFERENCE_MAX_AGE_SECONDS, runtime.now())
  return [{ put: "errorReference", value }]
}

/** What a page does with the cookie: it shows once what it was sent. */
export interface ReceivedReference {
  /** That of the failure that the page tells of, or undefined. */
  readonly reference: string | undefined
  readonly developer: DeveloperProps | undefined
  readonly cookies: readonly CookieChange[]
}

/** What was sent to this page. */
export async function receiveReference(call: AuthCall, runtime: Runtime): Promise<ReceivedReference> {
  const value = call.cookies[call.cookieSet.errorReference.name]
  if (value === undefined) return { reference: undefined, developer: undefined, cookies: [] }
  const claims = read(value, call, runtime)
  const diagnosis = runtime.diagnoses.get(String(claims["diagnosis"]))
  return {
    reference: typeof claims["reference"] === "string" ? claims["reference"] : undefined,
    developer: diagnosis && (await developerProps(diagnosis)),
    cookies: [{ drop: "errorReference" }],
  }
}

function read(value: string, call: AuthCall, runtime: Runtime): Claims {
  try {
    const claims = open(value, runtime.keys.for(PURPOSE), runtime.now())
    // Another tab may have failed in another way since.
    return claims["error"] === call.query["error"] ? claims : {}
  } catch {
    // Too old, of another secret, or nobody's.
    return {}
  }
}
