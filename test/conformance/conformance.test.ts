import type { Project } from "../cli/support/project.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { PLANS } from "./modules.js"
import { expectRefused, expectRequests, expectSignedIn } from "./support/expectations.js"
import { signOut } from "./support/logout.js"
import { type Module, titleOf } from "./support/module.js"
import { PARTIES } from "./support/parties.js"
import { refresh } from "./support/refresh.js"
import { createProject, RelyingParty } from "./support/relying-party.js"
import { beginRun, signIn } from "./support/run.js"
import { CLIENT, SUITE_PROVIDER } from "./support/suite-provider.js"

let project: Project
let op: FaultyProvider
beforeAll(async () => {
  project = createProject()
  op = await startFaultyProvider({ ...CLIENT, mode: SUITE_PROVIDER })
})
afterAll(async () => {
  await op.close()
  project.remove()
})

async function runModule(module: Module, party: RelyingParty): Promise<void> {
  const run = await beginRun(module, { op, party })
  const { browser, page } = await signIn(run)
  if (module.does === "sign in" || module.logout || module.refresh) await expectSignedIn(run, browser, page)
  else await expectRefused(run, browser, page)
  if (module.refresh) await refresh(run, browser)
  if (module.logout) await signOut(run, [browser, (await signIn(run)).browser])
  expectRequests(run)
}

const stages = process.env["TEST_STAGES"] ?? "all"
const SELECTED = PARTIES.filter(([, framework]) => stages === "all" || stages.includes(framework))

describe.each(SELECTED)("the built package, %s into %s", (format, framework) => {
  let party: RelyingParty
  beforeAll(() => {
    party = new RelyingParty(project, format, framework)
  })
  afterAll(() => party.stop())

  describe.each(PLANS)("$name", ({ modules }) => {
    it.each(modules.map((module) => [titleOf(module), module] as const))("%s", (_, module) => runModule(module, party))
  })
})
