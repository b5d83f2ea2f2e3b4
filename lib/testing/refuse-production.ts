/**
 * Throws in production. `helper` is the name of the function that must not run there.
 *
 * @throws Error with NODE_ENV=production
 */
export function refuseProduction(helper: string): void {
  if (process.env["NODE_ENV"] !== "production") return
  throw new Error(
    `${helper} lets anyone sign in as any user, so it refuses to run with NODE_ENV=production. Remove it from production code; for tests set NODE_ENV=test`,
  )
}
