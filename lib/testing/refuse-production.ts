/**
 * Refuses to run in production. `what` is the name of the helper.
 *
 * @throws Error with NODE_ENV=production
 */
export function refuseProduction(what: string): void {
  if (process.env["NODE_ENV"] !== "production") return
  throw new Error(
    `${what} lets anyone sign in as any user, so it refuses to run with NODE_ENV=production. Remove it from production code; for tests set NODE_ENV=test`,
  )
}
