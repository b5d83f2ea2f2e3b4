import { writeIcons } from "../../scripts/icons.mjs"
import { writePasskeys } from "../../scripts/passkeys.mjs"

/** Generates the icons and the browser script. */
export default async function prepare() {
  writeIcons()
  await writePasskeys()
}
