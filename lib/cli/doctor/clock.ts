import { type DoctorFinding, fail, ok, warn } from "./finding.js"

/** Seconds from which an id_token may be refused as too old or from the future. */
const TOLERANCE_SECONDS = 30
/** Seconds that are worth a word. */
const NOTABLE_SECONDS = 10

const WRITE = "timedatectl set-ntp true, on the machine whose clock is wrong"

/** How far the clock of somebody else is from ours. */
export function clockFinding(subject: string, ahead: number | undefined): DoctorFinding[] {
  if (ahead === undefined) return []
  const amount = `${Math.abs(ahead)} s`
  const seen = `its clock is ${amount} ${ahead < 0 ? "behind" : "ahead of"} the clock of this machine`
  if (Math.abs(ahead) > TOLERANCE_SECONDS)
    return [fail("clock-skew", subject, "the clocks differ by more than sign-ins allow for", { seen, write: WRITE })]
  if (Math.abs(ahead) > NOTABLE_SECONDS)
    return [warn("clock-skew", subject, "the clocks drift apart", { seen, write: WRITE })]
  return [ok("clock-skew", subject, "the clocks agree")]
}
