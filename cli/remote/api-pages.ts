import * as z from 'zod'
import type { EnginePort } from '../../local/engine-port.ts'
import { createError } from '../../shared/errors/error.ts'

/** Maximum number of consecutive empty pages. The API leaves out items that it cannot read. */
const emptyPagesMax = 100

/** A page of a list. `next`: the cursor of the next page, absent at the end. */
interface ApiPage {
  readonly items: readonly unknown[]
  readonly next?: string | undefined
}

/** Returns the form of a page of the API. `itemForm`: the form of an item. */
export function createApiPageForm<ItemForm extends z.ZodType>(itemForm: ItemForm) {
  return z.object({ items: z.array(itemForm), next: z.string().optional() })
}

/**
 * Yields the pages of a list. `readPage` gets the cursor of a page. Throws API_ANSWER_UNKNOWN for a
 * list without an end: a page that names itself as the next one, or too many empty pages.
 */
export async function* readApiPages<Page extends ApiPage>(
  readPage: (cursor: string) => Promise<Page>,
  firstCursor = '',
): AsyncGenerator<Page, void, void> {
  let emptyCount = 0
  for (let cursor: string | undefined = firstCursor; cursor !== undefined; ) {
    const page: Page = await readPage(cursor)
    yield page
    emptyCount = page.items.length === 0 ? emptyCount + 1 : 0
    if (page.next === cursor || emptyCount > emptyPagesMax)
      throw createError('API_ANSWER_UNKNOWN', 'the server sent a list of pages that does not end')
    cursor = page.next
  }
}

/**
 * Returns all items of a list of the API, from all of its pages. `itemForm`: the form of an item.
 * Throws API_ANSWER_UNKNOWN.
 */
export async function listAllItems<ItemForm extends z.ZodType>(
  { callApi }: Pick<EnginePort, 'callApi'>,
  path: string,
  itemForm: ItemForm,
): Promise<readonly z.infer<ItemForm>[]> {
  const pageForm = createApiPageForm(itemForm)
  const separator = path.includes('?') ? '&' : '?'
  const pages = readApiPages(async cursor => {
    const query = cursor === '' ? '' : `${separator}cursor=${encodeURIComponent(cursor)}`
    return pageForm.parse(await callApi({ method: 'GET', path: `${path}${query}` }))
  })
  const items: z.infer<ItemForm>[] = []
  for await (const page of pages) items.push(...(page.items as z.infer<ItemForm>[]))
  return items
}
