import type { BaseProps, PasskeyProps, PasskeysProps } from "./props.js"
import { formatRelativeTime } from "./relative-time.js"

/** A passkey and its management forms. */
export interface PasskeyFacts {
  readonly credentialID: string
  readonly name?: string | null | undefined
  readonly createdAt?: Date | null | undefined
  /** Undefined if it is unknown. */
  readonly lastUsedAt?: Date | undefined
  /** True if it is synced to several devices. A passkey that is not synced is lost with its device. */
  readonly isSynced: boolean
  readonly canRename: boolean
  readonly canRemove: boolean
  /** True if it is the user's only sign-in method. */
  readonly isLastMethod: boolean
}

export interface PasskeysContext {
  /** The URLs of the page's forms. */
  readonly forms: Pick<
    PasskeysProps,
    "action" | "addAction" | "optionsUrl" | "callbackUrl" | "csrfToken" | "sessionsUrl"
  >
  readonly now: number
}

export const MAX_PASSKEY_NAME_LENGTH = 64

/** Copied member by member, because the stored record also contains the public key. */
const passkeyProps = (passkey: PasskeyFacts, index: number, lang: string, now: number): PasskeyProps => ({
  // A credential id can contain characters with a meaning in a selector.
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

/** Oldest first. Passkeys without a date predate the column. */
const byAge = (a: PasskeyFacts, b: PasskeyFacts): number =>
  (a.createdAt?.getTime() ?? 0) - (b.createdAt?.getTime() ?? 0)

/**
 * The props of the page with the user's passkeys.
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
