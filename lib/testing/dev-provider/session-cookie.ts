import { parse, serialize } from "cookie"
import type { ProviderRequest, ProviderSession, ProviderState } from "./state.js"

/** Cookies don't know ports: two providers of one machine must not take each other's. */
const nameAt = ({ origin }: ProviderState): string => `dev-provider-${new URL(origin).port}`

const ATTRIBUTES = { path: "/", httpOnly: true, sameSite: "lax" } as const

/** The `Set-Cookie` that remembers who signed in here. */
export const sessionCookie = (id: string, state: ProviderState): string => serialize(nameAt(state), id, ATTRIBUTES)

export const clearedCookie = (state: ProviderState): string =>
  serialize(nameAt(state), "", { ...ATTRIBUTES, maxAge: 0 })

const sessionId = ({ cookie }: ProviderRequest["headers"], state: ProviderState): string | undefined =>
  parse(cookie ?? "")[nameAt(state)]

/** Who is signed in at this provider with this browser. */
export const currentSession = (
  headers: ProviderRequest["headers"],
  state: ProviderState,
): ProviderSession | undefined => state.sessions.find(sessionId(headers, state))

export const dropSession = (headers: ProviderRequest["headers"], state: ProviderState): void =>
  state.sessions.drop(sessionId(headers, state))
