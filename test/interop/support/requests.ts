import type { Page, Visit } from "../../support/browser.js"
import type { Visitor } from "./case.js"

/** The headers of `fetch` from a page. */
export const AS_SCRIPT: Visit = { headers: { accept: "*/*" } }
/** The headers of Auth.js's browser helpers, which expect the URL as JSON instead of a redirect. */
export const JSON_MODE: Visit = { headers: { accept: "*/*", "x-auth-return-redirect": "1" } }

type Run = (visitor: Visitor) => Promise<Page>

export const get =
  (path: string, init: Visit = AS_SCRIPT): Run =>
  ({ get }) =>
    get(path, init)

export const send =
  (method: string, path: string, init: Visit = AS_SCRIPT): Run =>
  ({ browser }) =>
    browser.request(path, { ...init, method })

/** Posts a form with the browser's CSRF token. */
export const post =
  (path: string, fields: Record<string, string> = {}, init: Visit = {}): Run =>
  ({ post }) =>
    post(path, fields, init)

/** Signs in first. */
export const signedIn =
  (run: Run): Run =>
  async (visitor) => {
    await visitor.signIn()
    return run(visitor)
  }
