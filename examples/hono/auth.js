/**
 * The configuration. `npx latchkey doctor` loads this module too.
 */
import { devProvider } from "latchkey/testing"

export const port = Number(process.env.PORT || 3000)

export const authConfig = {
  basePath: "/api/auth",
  providers: [devProvider({ port: port + 1 })],
}
