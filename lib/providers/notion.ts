import type { OAuth2Config, OAuthUserConfig, ProviderContext } from "./provider.js"
import { askVendor, firstText, requireId } from "./vendor.js"

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

async function fetchProfile<P>(context: ProviderContext): Promise<P> {
  const url = context.provider.userinfo?.url ?? ME_URL
  const { bot } = await askVendor<NotionBot<P>>("Notion", url, context, { headers: { "notion-version": VERSION } })
  if (bot?.owner?.type !== "user") throw new Error("Notion: the token belongs to a workspace, not to a person")
  return bot.owner.user
}

/**
 * Notion may tell of an error as its other endpoints do, with the reason as `code`.
 * @see https://developers.notion.com/reference/status-codes
 */
async function mendRefusal(response: Response): Promise<Response | undefined> {
  const answer: unknown = await response.json().catch(() => undefined)
  const { object, code, message } = Object(answer)
  if (object !== "error" || typeof code !== "string") return undefined
  return Response.json({ error: code, error_description: message }, { status: response.status })
}

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
    token: { url: "https://api.notion.com/v1/oauth/token", conform: mendRefusal },
    userinfo: { url: ME_URL, request: (context: ProviderContext) => fetchProfile<P>(context) },
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
