import type { FrameProps, PasskeyProps, PasskeysProps } from "./props.js"

/** A passkey, and what its person may do with it. */
export interface PasskeyFacts {
  readonly credentialID: string
  readonly name?: string | null | undefined
  readonly createdAt?: Date | null | undefined
  /** Is it kept on several devices? One that is not is gone with its device. */
  readonly isSynced: boolean
  readonly canRename: boolean
  readonly canRemove: boolean
  /** Is it all that its person can sign in with? */
  readonly isLastMethod: boolean
}

/** Where the page's forms lead. */
export type PasskeysPlace = Pick<PasskeysProps, "action" | "addAction" | "optionsUrl" | "callbackUrl" | "csrfToken">

/** A name is for its person to tell passkeys apart. */
export const MAX_PASSKEY_NAME_LENGTH = 64

/** Member by member: the record of a store has its public key, too. */
const passkeyProps = (passkey: PasskeyFacts, index: number): PasskeyProps => ({
  // A credential's id has characters that mean something in a selector.
  id: `passkey-${index + 1}`,
  credentialID: passkey.credentialID,
  name: passkey.name ?? "",
  createdAt: passkey.createdAt ?? undefined,
  isSynced: passkey.isSynced,
  canRename: passkey.canRename,
  canRemove: passkey.canRemove,
  isLastMethod: passkey.isLastMethod,
})

/** The oldest first; those without a date were there before dates were kept. */
const byAge = (a: PasskeyFacts, b: PasskeyFacts): number =>
  (a.createdAt?.getTime() ?? 0) - (b.createdAt?.getTime() ?? 0)

/**
 * What the page of a person's passkeys sees.
 *
 * @example
 * passkeysProps(frame("passkeys", call, runtime), passkeys, { action: `${call.base}/passkeys`, … })
 */
export const passkeysProps = (
  frame: FrameProps,
  passkeys: readonly PasskeyFacts[],
  place: PasskeysPlace,
): PasskeysProps => ({
  ...frame,
  ...place,
  passkeys: passkeys.toSorted(byAge).map(passkeyProps),
  maxNameLength: MAX_PASSKEY_NAME_LENGTH,
})
