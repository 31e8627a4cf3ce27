import type { DashboardClient } from '../api/dashboard-client.ts'
import type { ListedOperations, ShownOperation } from '../api/operation-views.ts'
import { type PolledValue, usePolled } from '../api/use-polled.ts'
import { useClient } from '../session/client-context.ts'

/** The recorded operations of a deployment, with the number of concurrent provider calls. */
export interface ReadOperations {
  readonly operations: readonly ShownOperation[]
  readonly parallel: number
}

/** Operations per page: the maximum of the API. */
const pageSize = 10_000
const openPollMs = 2_500

/**
 * Reads the operations of a deployment, repeatedly while it is open. `path`: the path of the
 * deployment in the API.
 */
export function useOperations(
  path: string,
  { isEnded }: { readonly isEnded: boolean },
): PolledValue<ReadOperations> {
  const { client } = useClient()
  return usePolled({
    key: path,
    revision: isEnded ? 'ended' : 'open',
    intervalMs: isEnded ? 0 : openPollMs,
    read: signal => readOperationPages(client, path, signal),
  })
}

async function readOperationPages(
  client: Pick<DashboardClient, 'read'>,
  path: string,
  signal: AbortSignal,
): Promise<ReadOperations> {
  const operations: ShownOperation[] = []
  for (let cursor = ''; ; ) {
    const query = `limit=${pageSize}&cursor=${cursor}`
    const page: ListedOperations = await client.read(`${path}/operations?${query}`, signal)
    for (const operation of page.items) operations.push(operation)
    if (page.next === undefined) return { operations, parallel: page.parallel }
    cursor = page.next
  }
}
