import type { DashboardClient } from './dashboard-client.ts'
import type { ListPage } from './api-views.ts'

/** Items per page: the maximum of the API. */
const pageSize = 100

/**
 * Reads the pages of a list, one after the other, at most `pagesMax` of them. Throws ApiFailure, or
 * the reason of the signal.
 */
export async function readPages<Page extends ListPage<unknown>>(
  client: Pick<DashboardClient, 'read'>,
  path: string,
  { signal, pagesMax }: { readonly signal: AbortSignal; readonly pagesMax: number },
): Promise<readonly Page[]> {
  const separator = path.includes('?') ? '&' : '?'
  const pages: Page[] = []
  let cursorText = ''
  while (pages.length < pagesMax) {
    const page = await client.read<Page>(
      `${path}${separator}limit=${pageSize}${cursorText}`,
      signal,
    )
    pages.push(page)
    if (page.next === undefined) break
    cursorText = `&cursor=${encodeURIComponent(page.next)}`
  }
  return pages
}
