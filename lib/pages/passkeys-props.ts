import type { BaseProps, PasskeyProps, PasskeysProps } from "./props.js"
import { formatRelativeTime } from "./relative-time.js"

/** A passkey of the current user, and which changes the user may make. */
export interface PasskeyFacts {
  readonly credentialID: string
  readonly name?: string | null | undefined
  readonly createdAt?: Date | null | undefined
  /** When the passkey was last used; undefined if this is unknown. */
  readonly lastUsedAt?: Date | undefined
  /** True if the passkey is synced to several devices. If false, losing the device means losing the passkey. */
  readonly isSynced: boolean
  readonly canRename: boolean
  readonly canRemove: boolean
  /** True if the passkey is the user's only sign-in method. */
  readonly isLastMethod: boolean
}

/** The parts of the page's props that do not describe a passkey, and the current time. */
export interface PasskeysContext {
  /** The URLs and hidden fields of the page's forms. */
  readonly forms: Pick<
    PasskeysProps,
    "action" | "addAction" | "optionsUrl" | "callbackUrl" | "csrfToken" | "sessionsUrl"
  >
  readonly now: number
}

/** The maximum length of a passkey's name, in characters. */
export const MAX_PASSKEY_NAME_LENGTH = 64

/** Returns the props of one passkey. Copies single members, because the stored record also contains the public key. */
const passkeyProps = (passkey: PasskeyFacts, index: number, lang: string, now: number): PasskeyProps => ({
  // The credential id is not used, because some of its characters have a meaning in a CSS selector.
  id: `passkey-${index + 1}`,
  credentialID: passkey.credentialID,
  name: passkey.name ?? "",
  createdAt: passkey.createdAt ?? undefined,
  lastUsedAt: passkey.lastUsedAt,
  lastUsed: passkey.lastUsedAt && formatRelativeTime(passkey.lastUsedAt.getTime(), { lang, now }),
  isSynced: passkey.isSynced,
  canRename: passkey.canRename,
  canRemove: passkey.canRemove,
  isLastMethod: passkey.isLastMethod,
})

/**
 * Compares two passkeys, to sort the oldest first. Passkeys without a date come first, because they were stored before
 * the adapter had a column for the date.
 */
const byAge = (a: PasskeyFacts, b: PasskeyFacts): number =>
  (a.createdAt?.getTime() ?? 0) - (b.createdAt?.getTime() ?? 0)

/**
 * Returns the props of the page with the user's passkeys.
 *
 * @example
 * passkeysProps(baseProps("passkeys", call, runtime), passkeys, { forms: { action: `${call.base}/passkeys`, … }, now })
 */
export const passkeysProps = (
  common: BaseProps,
  passkeys: readonly PasskeyFacts[],
  { forms, now }: PasskeysContext,
): PasskeysProps => ({
  ...common,
  ...forms,
  passkeys: passkeys.toSorted(byAge).map((passkey, index) => passkeyProps(passkey, index, common.lang, now)),
  maxNameLength: MAX_PASSKEY_NAME_LENGTH,
})
