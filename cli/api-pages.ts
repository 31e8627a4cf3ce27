import { z } from 'zod'
import type { Local } from './local-port.ts'

/** Every item of a list of the API, page after page. */
export async function allItems<Item extends z.ZodType>(
  { api }: Pick<Local, 'api'>,
  path: string,
  item: Item,
): Promise<readonly z.infer<Item>[]> {
  const form = z.object({ items: z.array(item), next: z.string().optional() })
  const items: z.infer<Item>[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const more = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`
    const page = form.parse(await api({ method: 'GET', path: `${path}${more}` }))
    items.push(...(page.items as z.infer<Item>[]))
    cursor = page.next
  }
  return items
}
