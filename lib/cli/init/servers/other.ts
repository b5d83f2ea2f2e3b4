import type { ServerFor } from "./server.js"

/** A framework that we do not know takes the handlers, and mounts them in its own way. */
export const otherServer: ServerFor = () => ({
  imports: [],
  mountImports: [],
  names: ["authHandlers"],
  create: "",
  mount: `
// Each takes a Request whose path is below /api/auth, and gives a Response.
const { GET, POST } = authHandlers(authConfig)`.trim(),
  routes: "",
  listen: "",
})
