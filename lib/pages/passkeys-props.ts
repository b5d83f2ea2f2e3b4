import type { BaseProps, PasskeyProps, PasskeysProps } from "./props.js"

/** A passkey and its management forms. */
export interface PasskeyFacts {
  readonly credentialID: string
  readonly name?: string | null | undefined
  readonly createdAt?: Date | null | undefined
  /** True if it is synced to several devices. A passkey that is not synced is lost with its device. */
  readonly isSynced: boolean
  readonly canRename: boolean
  readonly canRemove: boolean
  /** True if it is the user's only sign-in method. */
  readonly isLastMethod: boolean
}

/** The URLs of the page's forms. */
export type PasskeysContext = Pick<
  PasskeysProps,
  "action" | "addAction" | "optionsUrl" | "callbackUrl" | "csrfToken" | "sessionsUrl"
>

export const MAX_PASSKEY_NAME_LENGTH = 64

/** Copied member by member, because the stored record also contains the public key. */
const passkeyProps = (passkey: PasskeyFacts, index: number): PasskeyProps => ({
  // A credential id can contain characters with a meaning in a selector.
  id: `passkey-${index + 1}`,
  credentialID: passkey.credentialID,
  name: passkey.name ?? "",
  createdAt: passkey.createdAt ?? undefined,
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
 * passkeysProps(baseProps("passkeys", call, runtime), passkeys, { action: `${call.base}/passkeys`, … })
 */
export const passkeysProps = (
  common: BaseProps,
  passkeys: readonly PasskeyFacts[],
  forms: PasskeysContext,
): PasskeysProps => ({
  ...common,
  ...forms,
  passkeys: passkeys.toSorted(byAge).map(passkeyProps),
  maxNameLength: MAX_PASSKEY_NAME_LENGTH,
})
