import * as z from 'zod'
import type { EnginePort } from '../../local/engine-port.ts'

/**
 * Returns all items of a list of the API, from all of its pages. `itemForm`: the form of an item.
 */
export async function listAllItems<ItemForm extends z.ZodType>(
  { callApi }: Pick<EnginePort, 'callApi'>,
  path: string,
  itemForm: ItemForm,
): Promise<readonly z.infer<ItemForm>[]> {
  const pageForm = z.object({ items: z.array(itemForm), next: z.string().optional() })
  const items: z.infer<ItemForm>[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const separator = path.includes('?') ? '&' : '?'
    const query = cursor === '' ? '' : `${separator}cursor=${encodeURIComponent(cursor)}`
    const page = pageForm.parse(await callApi({ method: 'GET', path: `${path}${query}` }))
    items.push(...(page.items as z.infer<ItemForm>[]))
    cursor = page.next
  }
  return items
}
