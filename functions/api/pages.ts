import { z } from 'zod'
import { apiLimits } from '../../shared/config/api-limits.ts'

/** How many items of a page are asked for, and from where on. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(apiLimits.pageMax).default(apiLimits.pageDefault),
  cursor: z.string().max(500).default(''),
}

/** A page of items: `next` begins the next one, and is absent at the end. */
export function pageForm<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next: z.string().optional() })
}

/** A page cut out of a list by places; `cursor` is a place. */
export function cutResultPage<T>(
  all: readonly T[],
  { limit, cursor }: { readonly limit: number; readonly cursor: string },
): { readonly items: readonly T[]; readonly next?: string } {
  const from = parseCursor(cursor)
  const items = all.slice(from, from + limit)
  return from + limit < all.length ? { items, next: String(from + limit) } : { items }
}

/** A cursor that is a number; 0 for none, and for what is none. */
export function parseCursor(cursor: string): number {
  return /^\d{1,15}$/.test(cursor) ? Number(cursor) : 0
}
