import type { ServerFor } from "./server.js"

/** For an unknown framework only the handlers are written. */
export const otherServer: ServerFor = () => ({
  imports: [],
  mountImports: [],
  names: ["authHandlers"],
  create: "",
  mount: `
// Each takes a Request whose path is below /api/auth, and returns a Response.
const { GET, POST } = authHandlers(authConfig)`.trim(),
  routes: "",
  listen: "",
})
