import { readCatalogue } from "./catalogue.js"
import { type Call, defineCommand, type Result, UsageError } from "./command.js"
import { basePathOf, type Choices } from "./init/choices.js"
import { choicesOf, INIT_OPTIONS, type InitValues, saysHow } from "./init/options.js"
import { installCommands } from "./init/packages.js"
import { planFor } from "./init/plan.js"
import { type Project, readProject } from "./init/project.js"
import { resultOf } from "./init/told.js"
import { writeFiles } from "./init/write.js"
import { createSecret, warningsAbout } from "./secret.js"
import { siteOf } from "./site.js"

type InitCall = Call<typeof INIT_OPTIONS>

/** The options, asked for where nobody has said how people sign in and somebody is there to answer. */
async function requireValues({ values, terminal }: InitCall, project: Project): Promise<InitValues> {
  if (values.yes || saysHow(values)) return values
  if (!terminal.canAsk)
    throw new UsageError(
      "how do people sign in? Give --provider ID,ID, --email, --passkeys, --credentials or --dev; --yes takes --dev",
    )
  const { ask } = await import("./init/ask.js")
  return ask(values, project, readCatalogue())
}

function init(choices: Choices, project: Project, { values, terminal }: InitCall): Result {
  const isDryRun = values["dry-run"]
  const site = siteOf(terminal, basePathOf(choices.framework))
  const secret = isDryRun ? "made-when-it-is-written" : createSecret()
  const plan = planFor(choices, project, { site, secret })
  if (!isDryRun) writeFiles(plan.files)
  const warnings = isDryRun ? [] : warningsAbout(".env")
  return resultOf({ choices, plan, site, install: installCommands(choices, project), isDryRun, warnings })
}

/** `npx latchkey init` */
export const initCommand = defineCommand({
  summary: "writes a configuration, an application and .env, and says what is left to do",
  about: "Writes auth.js, an application where there is none, and .env; says what to install, register and run.",
  more: "It asks what it has to know, or takes it from the options. No file is written over, and .env and .gitignore only get the lines that they lack.",
  options: INIT_OPTIONS,
  async run(call) {
    const project = readProject()
    const values = await requireValues(call, project)
    return init(choicesOf(values, project, readCatalogue()), project, call)
  },
})
