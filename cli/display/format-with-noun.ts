/** Formats a number with its noun, which is given in the singular: `1 step`, `2 steps`. */
export function formatWithNoun(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
