/**
 * How long is loaded: for a look in CI, quickly, or properly. Many short slices tell more than few long ones on a machine
 * that does other things as well.
 */
export function roundsOf({ isQuick, isCheck }) {
  if (isCheck) return { warmUp: 0.6, rounds: 8, seconds: 0.2 }
  return isQuick ? { warmUp: 0.5, rounds: 6, seconds: 0.2 } : { warmUp: 2, rounds: 9, seconds: 1 }
}
