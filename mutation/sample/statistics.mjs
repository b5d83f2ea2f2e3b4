/** The 95 % Wilson interval of a share, which stays within 0 and 1 and is accurate near them. */
export function intervalOf(hits, total) {
  const z = 1.96
  const share = hits / total
  const middle = share + z ** 2 / (2 * total)
  const half = z * Math.sqrt((share * (1 - share) + z ** 2 / (4 * total)) / total)
  const whole = 1 + z ** 2 / total
  return [(middle - half) / whole, (middle + half) / whole]
}
