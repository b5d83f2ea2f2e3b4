/** The quantile: the number below which this share of the numbers lies. */
export function quantile(numbers, share) {
  const sorted = Float64Array.from(numbers).sort()
  const at = (sorted.length - 1) * share
  const [below, above] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]]
  return below + (above - below) * (at % 1)
}

export const median = (numbers) => quantile(numbers, 0.5)
