import type { BaseProps, SessionProps, SessionsProps, TrustedDeviceProps } from "./props.js"
import { formatRelativeTime } from "./relative-time.js"

/** A session of the current user. */
export interface SessionFacts {
  readonly id: string
  readonly lastSeenAt: number
  readonly browser?: string | undefined
  readonly platform?: string | undefined
  readonly address?: string | undefined
  readonly origin?: { readonly provider: string } | undefined
}

/** A browser that does not ask the user for the second factor. */
export interface TrustedDeviceFacts {
  readonly id: string
  readonly createdAt: number
  readonly browser?: string | undefined
  readonly platform?: string | undefined
}

/** What the page with the user's sessions depends on. */
export interface SessionsContext extends Pick<SessionsProps, "action" | "csrfToken"> {
  /** The id of the session of this browser. */
  readonly currentId: string | undefined
  /** Returns the name of a provider. */
  readonly providerName: (id: string) => string
  readonly devices: readonly TrustedDeviceFacts[]
  readonly now: number
}

const deviceProps = ({ id, browser, platform, createdAt }: TrustedDeviceFacts, index: number): TrustedDeviceProps => ({
  id: `trusted-device-${index + 1}`,
  deviceId: id,
  browser,
  platform,
  createdAt: new Date(createdAt),
})

/**
 * The props of the page with the user's sessions. Copied member by member, because a record also contains the sealed
 * token of a database session.
 *
 * @example
 * sessionsProps(baseProps("sessions", call, runtime), sessions, { action: `${call.base}/sessions`, … })
 */
export function sessionsProps(
  common: BaseProps,
  sessions: readonly SessionFacts[],
  { action, csrfToken, currentId, providerName, devices, now }: SessionsContext,
): SessionsProps {
  const toProps = ({ id, origin, ...facts }: SessionFacts, index: number): SessionProps => {
    const isCurrent = id === currentId
    // The record of this browser's session may be minutes old.
    const lastSeenAt = isCurrent ? now : facts.lastSeenAt
    return {
      id: `session-${index + 1}`,
      sessionId: id,
      isCurrent,
      browser: facts.browser,
      platform: facts.platform,
      address: facts.address,
      provider: origin && providerName(origin.provider),
      lastSeenAt: new Date(lastSeenAt),
      lastSeen: formatRelativeTime(lastSeenAt, { lang: common.lang, now }),
    }
  }
  const isOther = ({ id }: SessionFacts): boolean => id !== currentId
  const ordered = [...sessions].sort(
    (one, other) => Number(isOther(one)) - Number(isOther(other)) || other.lastSeenAt - one.lastSeenAt,
  )
  return {
    ...common,
    action,
    csrfToken,
    sessions: ordered.map(toProps),
    hasOthers: sessions.some(isOther),
    trustedDevices: devices.toSorted((one, other) => other.createdAt - one.createdAt).map(deviceProps),
  }
}
