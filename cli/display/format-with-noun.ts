/** Formats a number with its noun: `1 step`, `2 steps`. `noun` is in the singular. */
export function formatWithNoun(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
