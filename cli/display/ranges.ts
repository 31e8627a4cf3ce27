/**
 * Formats ascending whole numbers: `1-27, 30, 31`. Three or more consecutive numbers become a
 * range.
 */
export function formatRanges(numbers: readonly number[]): string {
  const runs: { readonly from: number; to: number }[] = []
  for (const number of numbers) {
    const last = runs.at(-1)
    if (last !== undefined && last.to + 1 === number) last.to = number
    else runs.push({ from: number, to: number })
  }
  return runs
    .map(({ from, to }) => {
      if (from === to) return String(from)
      return to === from + 1 ? `${from}, ${to}` : `${from}-${to}`
    })
    .join(', ')
}
