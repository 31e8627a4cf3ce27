/** The number of items of a page: its default and its maximum. */
const pageSizes = { default: 10, max: 100 }

/**
 * Returns the index of the first item of a page, and the size of the page. The query numbers pages
 * from 1.
 */
export function parsePage(query: Readonly<Record<string, string>>): {
  readonly first: number
  readonly size: number
} {
  const size = Math.min(parsePositive(query['pageSize']) ?? pageSizes.default, pageSizes.max)
  return { first: ((parsePositive(query['page']) ?? 1) - 1) * size, size }
}

/** Returns the positive integer of a text. Undefined for any other text. */
export function parsePositive(text: string | undefined): number | undefined {
  const number = Number(text)
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}
