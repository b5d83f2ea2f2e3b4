import type { OAuth2Config, OAuthUserConfig } from "./provider.js"
import { conformBy, firstText, refusal, requireId, userinfoFrom } from "./vendor.js"

/**
 * The person who granted the access, as Notion describes people.
 * @see https://developers.notion.com/reference/user#people
 */
export interface NotionProfile {
  object: "user"
  id: string
  type: "person"
  /** The name and what follows are there when the connection may read user information. */
  name: string | null
  avatar_url: string | null
  person: {
    /** There when the connection may read user information with e-mail addresses. */
    email?: string
  }
  // biome-ignore lint/suspicious/noExplicitAny: Notion adds members as it grows, as in the contract
  [member: string]: any
}

/**
 * What a token stands for: a bot, which belongs to a person or to the whole workspace.
 * @see https://developers.notion.com/reference/get-self
 */
interface NotionBot<P> {
  bot: { owner: { type: "user"; user: P } | { type: "workspace"; workspace: true } }
}

const ME_URL = "https://api.notion.com/v1/users/me"
const VERSION = "2022-06-28"

function ownerOf<P>({ bot }: NotionBot<P>): P {
  if (bot?.owner?.type !== "user") throw new Error("Notion: the token belongs to a workspace, not to a person")
  return bot.owner.user
}

/**
 * Notion may tell of an error as its other endpoints do, with the reason as `code`.
 * @see https://developers.notion.com/reference/status-codes
 */
const conform = conformBy(({ object, code, message }) => (object === "error" ? refusal(code, message) : undefined))

/**
 * Sign-in with Notion.
 *
 * Environment: `AUTH_NOTION_ID`, `AUTH_NOTION_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/notion`.
 * Console: https://www.notion.so/profile/integrations, a public connection
 *
 * - There are no scopes: give the connection the capability to read user information with e-mail addresses. Without it
 *   there is no e-mail address, and maybe no name.
 * - The person has to choose pages that the application may read, though it needs none.
 * - The documentation does not say that an e-mail address is proven, so it links no accounts.
 * - The option `redirectUri` of Auth.js is not needed: the redirect URI is that of every provider.
 *
 * @example
 * import Notion from "latchkey/providers/notion"
 * app.use(authMiddleware({ providers: [Notion] }))
 */
export default function Notion<P extends NotionProfile = NotionProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "notion",
    name: "Notion",
    type: "oauth",
    authorization: { url: "https://api.notion.com/v1/oauth/authorize", params: { owner: "user", scope: "" } },
    token: { url: "https://api.notion.com/v1/oauth/token", conform },
    userinfo: userinfoFrom<P, NotionBot<P>>("Notion", ME_URL, ownerOf, { headers: { "notion-version": VERSION } }),
    profile({ id, name, person, avatar_url }) {
      return {
        id: requireId("Notion", id),
        name: firstText(name),
        email: firstText(person?.email),
        image: firstText(avatar_url),
      }
    },
    style: { brandColor: "#fff" },
    options,
  }
}
