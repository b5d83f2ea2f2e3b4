import { type DoctorFinding, fail, ok, warn } from "./finding.js"

/** From this difference on, an id_token may be refused as expired or issued in the future. */
const TOLERANCE_SECONDS = 30
/** From this difference on, a warning is reported. */
const NOTABLE_SECONDS = 10

const FIX = "run timedatectl set-ntp true on the machine whose clock is wrong"

/** The finding about the difference between a remote clock and the local one. */
export function clockFinding(subject: string, ahead: number | undefined): DoctorFinding[] {
  if (ahead === undefined) return []
  const amount = `${Math.abs(ahead)} s`
  const seen = `its clock is ${amount} ${ahead < 0 ? "behind" : "ahead of"} the clock of this machine`
  if (Math.abs(ahead) > TOLERANCE_SECONDS)
    return [fail("clock-skew", subject, "the clocks differ by more than a sign-in allows", { seen, fix: FIX })]
  if (Math.abs(ahead) > NOTABLE_SECONDS)
    return [warn("clock-skew", subject, "the clocks drift apart", { seen, fix: FIX })]
  return [ok("clock-skew", subject, "the clocks agree")]
}
