import type { ActionName } from "../http/action.js"
import type { Action } from "./action.js"
import { assets } from "./assets.js"
import { callback } from "./callback.js"
import { csrf } from "./csrf.js"
import { error } from "./error.js"
import { passkeys } from "./passkeys.js"
import { providers } from "./providers.js"
import { session } from "./session.js"
import { signin } from "./signin.js"
import { signout } from "./signout.js"
import { verifyRequest } from "./verify-request.js"
import { webauthnOptions } from "./webauthn-options.js"

/** The actions by name. */
export const ACTIONS: Readonly<Partial<Record<ActionName, Action>>> = {
  assets,
  callback,
  csrf,
  error,
  passkeys,
  providers,
  session,
  signin,
  signout,
  "verify-request": verifyRequest,
  "webauthn-options": webauthnOptions,
}
