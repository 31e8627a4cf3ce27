/**
 * Formats ascending whole numbers: `1-27, 30, 31`. Three or more consecutive numbers become a
 * range.
 */
export function formatRanges(numbers: readonly number[]): string {
  const ranges: { readonly from: number; to: number }[] = []
  for (const number of numbers) {
    const lastRange = ranges.at(-1)
    if (lastRange !== undefined && lastRange.to + 1 === number) lastRange.to = number
    else ranges.push({ from: number, to: number })
  }
  return ranges
    .map(({ from, to }) => {
      if (from === to) return String(from)
      return to === from + 1 ? `${from}, ${to}` : `${from}-${to}`
    })
    .join(', ')
}
