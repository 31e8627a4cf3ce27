/** Returns a count with its noun, such as `1 stack` or `12,000 stacks`. Pure. */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** Returns a number with separators of thousands. Pure. */
export function formatNumber(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** Formats the number of shown items, and that of all items if a filter hides some. */
export function formatShownCount(shownCount: number, allCount: number, noun: string): string {
  if (shownCount === allCount) return formatCount(allCount, noun)
  return `${formatCount(shownCount, noun)} of ${formatNumber(allCount)}`
}
