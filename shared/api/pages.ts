import * as z from 'zod'
import { apiLimits } from '../config/api-limits.ts'
import { createError } from '../errors/error.ts'
import { toPrintable } from '../triggers/printable.ts'

/** The query parameters of a page: its maximum number of items, and the cursor of its start. */
export const pageQuery = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(apiLimits.pageResultsMax)
    .default(apiLimits.pageResultsDefault),
  cursor: z.string().max(500).default(''),
}

/**
 * Returns the form of a page of items. `next` is the cursor of the next page, absent at the end.
 */
export function createPageForm<ItemForm extends z.ZodType>(itemForm: ItemForm) {
  return z.object({ items: z.array(itemForm), next: z.string().optional() })
}

/**
 * Returns a page of a list. `cursor` is the index of the first item, from 0. Throws
 * API_INPUT_INVALID.
 */
export function cutResultPage<T>(
  list: readonly T[],
  { limit, cursor }: { readonly limit: number; readonly cursor: string },
): { readonly items: readonly T[]; readonly next?: string } {
  const startIndex = parseCursor(cursor)
  const items = list.slice(startIndex, startIndex + limit)
  return startIndex + limit < list.length ? { items, next: String(startIndex + limit) } : { items }
}

/** Returns a numeric cursor, which is 0 for an empty text. Throws API_INPUT_INVALID. */
export function parseCursor(cursor: string): number {
  const number = Number(cursor)
  if (/^\d*$/.test(cursor) && Number.isSafeInteger(number)) return number
  throw createError('API_INPUT_INVALID', `'${toPrintable(cursor)}' is not the cursor of a page`)
}
