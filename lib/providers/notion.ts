import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { refusal, repairTokenResponse, userinfoFrom } from "../provider-kit/vendor.js"

/** The user who granted the access, as a Notion user object: https://developers.notion.com/reference/user#people */
export interface NotionProfile extends OtherMembers {
  object: "user"
  id: string
  type: "person"
  /** This and the following members require the capability to read user information. */
  name: string | null
  avatar_url: string | null
  person: {
    /** Requires the capability to read user information with email addresses. */
    email?: string
  }
}

/**
 * The token's bot, which belongs to a user or to the whole workspace.
 * @see https://developers.notion.com/reference/get-self
 */
interface NotionBot<P> {
  bot: { owner: { type: "user"; user: P } | { type: "workspace"; workspace: true } }
}

const ME_URL = "https://api.notion.com/v1/users/me"
const VERSION = "2022-06-28"

function requireOwner<P>({ bot }: NotionBot<P>): P {
  if (bot?.owner?.type !== "user") throw new Error("Notion: the token belongs to a workspace, not to a user")
  return bot.owner.user
}

/**
 * Converts errors in Notion's own format, with the reason in `code`, to those of RFC 6749 §5.2.
 * @see https://developers.notion.com/reference/status-codes
 */
const conform = repairTokenResponse(({ object, code, message }) =>
  object === "error" ? refusal(code, message) : undefined,
)

/**
 * Sign-in with Notion.
 * Console: https://www.notion.so/profile/integrations, a public connection
 * - There are no scopes. Give the connection the capability to read user information with email addresses. Without it
 *   there is no email address, and possibly no name.
 * - The user must choose pages that the application can read, although sign-in needs none.
 * - Notion does not document whether email addresses are verified.
 * - The Auth.js option `redirectUri` is not needed.
 */
const Notion = oauthProvider<NotionProfile>("notion", "Notion", {
  authorization: { url: "https://api.notion.com/v1/oauth/authorize", params: { owner: "user", scope: "" } },
  token: { url: "https://api.notion.com/v1/oauth/token", conform },
  userinfo: userinfoFrom<NotionProfile, NotionBot<NotionProfile>>("Notion", ME_URL, requireOwner, {
    headers: { "notion-version": VERSION },
  }),
  user: ({ id, name, person, avatar_url }) => ({ id, name, email: person?.email, image: avatar_url }),
  apiOrigins: ["https://api.notion.com"],
  brandColor: "#fff",
})

export default Notion
