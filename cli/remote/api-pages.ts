import { z } from 'zod'
import type { EnginePort } from '../../local/engine-port.ts'

/** Returns all items of a list of the API, from all of its pages. */
export async function listAllItems<Item extends z.ZodType>(
  { callApi }: Pick<EnginePort, 'callApi'>,
  path: string,
  item: Item,
): Promise<readonly z.infer<Item>[]> {
  const form = z.object({ items: z.array(item), next: z.string().optional() })
  const items: z.infer<Item>[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`
    const page = form.parse(await callApi({ method: 'GET', path: `${path}${query}` }))
    items.push(...(page.items as z.infer<Item>[]))
    cursor = page.next
  }
  return items
}
