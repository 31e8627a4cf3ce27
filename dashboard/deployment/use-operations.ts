import { useEffect, useState } from 'react'
import type { DashboardClient } from '../api/dashboard-client.ts'
import type { ListedChanges, ListedOperations, ShownOperation } from '../api/operation-views.ts'
import { type PolledValue, usePolled } from '../api/use-polled.ts'
import { useClient } from '../session/client-context.ts'
import type { DeploymentFold } from './deployment-events.ts'
import { createOperationStore, type OperationStore } from './operation-store.ts'

/** The recorded operations of a deployment, with the number of concurrent provider calls. */
export interface PolledOperations {
  readonly operations: readonly ShownOperation[]
  readonly parallel: number
}

/** Operations per page: the maximum of the API. */
const pageSize = 10_000
/** Ids in one request for changes. Their text stays below the maximum length of the API. */
const idsPerRequest = 250
const openPollMs = 2_500

/**
 * Reads the operations of a deployment: all of them at first and after its end, and only changed
 * ones while it is open. `path`: the path of the deployment in the API, which never changes.
 * `fold`: the fold of its events, which gets the operations, and names those that have changed.
 */
export function useOperations(
  path: string,
  { isEnded, fold }: { readonly isEnded: boolean; readonly fold: DeploymentFold },
): PolledValue<PolledOperations> {
  const { client } = useClient()
  const [operations] = useState(createOperationStore)
  const polled = usePolled({
    key: path,
    revision: isEnded ? 'ended' : 'open',
    intervalMs: isEnded ? 0 : openPollMs,
    async read(signal): Promise<PolledOperations> {
      const isFirst = operations.read().length === 0
      const receivedItems =
        isFirst || isEnded
          ? await readOperationPages(client, path, signal)
          : await readChanges(client, path, { signal, operations, ids: fold.listStale(operations) })
      operations.merge(receivedItems.items)
      fold.addOperations(receivedItems.items)
      return { operations: operations.read(), parallel: receivedItems.parallel }
    },
  })
  // A stream that starts again has a new, empty fold, which needs the known operations.
  useEffect(() => fold.addOperations(operations.read()), [fold, operations])
  return polled
}

interface OperationItems {
  readonly items: readonly ShownOperation[]
  readonly parallel: number
}

async function readOperationPages(
  client: Pick<DashboardClient, 'read'>,
  path: string,
  signal: AbortSignal,
): Promise<OperationItems> {
  const items: ShownOperation[] = []
  for (let cursor = ''; ; ) {
    const query = `limit=${pageSize}&cursor=${cursor}`
    const page: ListedOperations = await client.read(`${path}/operations?${query}`, signal)
    for (const operation of page.items) items.push(operation)
    if (page.next === undefined) return { items, parallel: page.parallel }
    cursor = page.next
  }
}

/** Reads the operations `ids`, those that they released, and those that are new. */
async function readChanges(
  client: Pick<DashboardClient, 'read'>,
  path: string,
  options: {
    readonly signal: AbortSignal
    readonly operations: OperationStore
    readonly ids: readonly number[]
  },
): Promise<OperationItems> {
  const { signal, operations, ids } = options
  const items: ShownOperation[] = []
  let count = operations.read().length
  for (let start = 0; ; start += idsPerRequest) {
    const idsText = ids.slice(start, start + idsPerRequest).join(',')
    const query = `count=${count}&ids=${idsText}`
    const page: ListedChanges = await client.read(`${path}/operations/changes?${query}`, signal)
    for (const operation of page.items) items.push(operation)
    count = page.count
    if (!page.hasMore && start + idsPerRequest >= ids.length)
      return { items, parallel: page.parallel }
  }
}
