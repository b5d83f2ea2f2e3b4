import type { BaseProps, SessionProps, SessionsProps, TrustedDeviceProps } from "./props.js"
import { formatRelativeTime } from "./relative-time.js"

/** A session of the current user. */
export interface SessionFacts {
  readonly id: string
  readonly lastSeenAt: number
  readonly browser?: string | undefined
  readonly platform?: string | undefined
  readonly address?: string | undefined
  readonly authentication?: { readonly provider: string } | undefined
}

/** A trusted browser, in which the user is not asked for the second factor. */
export interface TrustedDeviceFacts {
  readonly id: string
  readonly createdAt: number
  readonly browser?: string | undefined
  readonly platform?: string | undefined
}

/** The data of the page with the user's sessions, apart from the sessions. */
export interface SessionsContext extends Pick<SessionsProps, "action" | "csrfToken"> {
  /** The id of this browser's session. */
  readonly currentId: string | undefined
  /** Returns the name of a provider. */
  readonly providerName: (id: string) => string
  /** The user's trusted browsers. */
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
 * Returns the props of the page with the user's sessions. Copies single members of each record, because the record of a
 * database session also contains the session's encrypted token.
 *
 * @example
 * sessionsProps(baseProps("sessions", call, runtime), sessions, { action: `${call.base}/sessions`, … })
 */
export function sessionsProps(
  common: BaseProps,
  sessions: readonly SessionFacts[],
  { action, csrfToken, currentId, providerName, devices, now }: SessionsContext,
): SessionsProps {
  const toProps = ({ id, authentication, ...facts }: SessionFacts, index: number): SessionProps => {
    const isCurrent = id === currentId
    // This browser uses its session now. The time in the record may be minutes old.
    const lastSeenAt = isCurrent ? now : facts.lastSeenAt
    return {
      id: `session-${index + 1}`,
      sessionId: id,
      isCurrent,
      browser: facts.browser,
      platform: facts.platform,
      address: facts.address,
      provider: authentication && providerName(authentication.provider),
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
