import type { ActionName } from "../http/action.js"
import { accountsRemoved } from "./accounts-removed.js"
import type { Action } from "./action.js"
import { assets } from "./assets.js"
import { backchannelLogout } from "./backchannel-logout.js"
import { callback } from "./callback.js"
import { csrf } from "./csrf.js"
import { error } from "./error.js"
import { passkeys } from "./passkeys.js"
import { postLogout } from "./post-logout.js"
import { providers } from "./providers.js"
import { reauthenticate } from "./reauthenticate.js"
import { secondFactor } from "./second-factor/index.js"
import { session } from "./session.js"
import { sessions } from "./sessions.js"
import { signin } from "./signin.js"
import { signout } from "./signout.js"
import { verifyRequest } from "./verify-request.js"
import { webauthnOptions } from "./webauthn-options.js"

/** The actions by name. */
export const ACTIONS: Readonly<Partial<Record<ActionName, Action>>> = {
  "accounts-removed": accountsRemoved,
  assets,
  "backchannel-logout": backchannelLogout,
  callback,
  csrf,
  error,
  passkeys,
  "post-logout": postLogout,
  providers,
  reauthenticate,
  "second-factor": secondFactor,
  session,
  sessions,
  signin,
  signout,
  "verify-request": verifyRequest,
  "webauthn-options": webauthnOptions,
}
