/**
 * The duration of a measurement: for CI, quick or full. Many short slices are more accurate than few long ones on a
 * machine that also does other work.
 */
export function roundsOf({ isQuick, isCheck }) {
  if (isCheck) return { warmUp: { requests: 4_000, seconds: 2 }, rounds: 8, seconds: 0.2, patience: 2 }
  if (isQuick) return { warmUp: { requests: 3_000, seconds: 1.5 }, rounds: 5, seconds: 0.15, patience: 1 }
  return { warmUp: { requests: 8_000, seconds: 4 }, rounds: 9, seconds: 1, patience: 2 }
}
