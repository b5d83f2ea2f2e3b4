import { parse, serialize } from "cookie"
import type { ProviderRequest, ProviderSession, ProviderState } from "./state.js"

/** Browsers send cookies to all ports of a host, so two providers on one machine need different cookie names. */
const cookieName = ({ origin }: ProviderState): string => `dev-provider-${new URL(origin).port}`

const ATTRIBUTES = { path: "/", httpOnly: true, sameSite: "lax" } as const

/** Returns the `Set-Cookie` header of the provider's session. */
export const sessionCookie = (id: string, state: ProviderState): string => serialize(cookieName(state), id, ATTRIBUTES)

export const clearedCookie = (state: ProviderState): string =>
  serialize(cookieName(state), "", { ...ATTRIBUTES, maxAge: 0 })

const sessionId = ({ cookie }: ProviderRequest["headers"], state: ProviderState): string | undefined =>
  parse(cookie ?? "")[cookieName(state)]

/** Returns the session of this browser at the provider. */
export const currentSession = (
  headers: ProviderRequest["headers"],
  state: ProviderState,
): ProviderSession | undefined => state.sessions.find(sessionId(headers, state))

export const deleteSession = (headers: ProviderRequest["headers"], state: ProviderState): void =>
  state.sessions.drop(sessionId(headers, state))
