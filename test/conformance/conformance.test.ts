import type { Project } from "../cli/support/project.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { PLANS } from "./modules.js"
import { expectRefused, expectRequests, expectSignedIn } from "./support/expectations.js"
import type { Module, Plan } from "./support/module.js"
import {
  createProject,
  FORMATS,
  type Format,
  FRAMEWORKS,
  type Framework,
  RelyingParty,
} from "./support/relying-party.js"
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

const PARTIES = (Object.keys(FRAMEWORKS) as Framework[])
  .filter((framework) => process.env["TEST_STAGES"]?.includes(framework) ?? true)
  .flatMap((framework) => (Object.keys(FORMATS) as Format[]).map((format) => [format, framework] as const))

const titleOf = ({ name, does, given }: Module) =>
  `${name}: ${does === "sign in" ? "signs in with" : "refuses"} ${given}`

async function runModule(module: Module, plan: Plan, party: RelyingParty): Promise<void> {
  const run = await beginRun(module, plan, { op, party })
  const { browser, page } = await signIn(run)
  if (module.does === "sign in") await expectSignedIn(run, browser, page)
  else await expectRefused(run, browser, page)
  expectRequests(run)
}

describe.each(PARTIES)("the built package, %s into %s", (format, framework) => {
  let party: RelyingParty
  beforeAll(() => {
    party = new RelyingParty(project, format, framework)
  })
  afterAll(() => party.stop())

  describe.each(PLANS)("$name", (plan) => {
    it.each(plan.modules.map((module) => [titleOf(module), module] as const))("%s", (_, module) =>
      runModule(module, plan, party),
    )
  })
})
