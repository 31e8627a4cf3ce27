import * as z from 'zod'
import { createError, isErrorCode } from '../../shared/errors/error.ts'
import type { StackListing, StackRecord, UnreadableStack } from '../../shared/ports/catalog.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { ApiClient } from './api-client.ts'
import { createApiPageForm, readApiPages } from './api-pages.ts'

/** The form of a stack in responses of the API. */
export const remoteStackForm = z.object({
  id: z.string(),
  createdAt: z.number(),
  /** The id of the open deployment. '' without one. */
  current: z.string(),
  version: z.number(),
  /** The number of the last deployment. */
  deployments: z.number(),
})

const listForm = createApiPageForm(remoteStackForm).extend({
  unreadable: z.array(z.object({ id: z.string(), code: z.string() })).default([]),
})

/** Returns a stack of the API as a record. The API does not show the blob of the snapshot. */
export function toStackRecord({
  id,
  current,
  createdAt,
  ...otherFields
}: z.infer<typeof remoteStackForm>): StackRecord {
  return { ...otherFields, id, current, createdAt, snapshot: '' } as StackRecord
}

/**
 * Lists the stacks of an API, or those of a project, from all pages. Stacks whose records the
 * server cannot read are in `unreadable`. Throws API_ANSWER_UNKNOWN.
 */
export async function listRemoteStacks(
  client: Pick<ApiClient, 'call'>,
  project?: string,
): Promise<StackListing> {
  const stacks: StackRecord[] = []
  // Each page lists all unreadable stacks, so the map keeps one entry for each.
  const unreadable = new Map<string, UnreadableStack>()
  const projectQuery = project === undefined ? '' : `&project=${encodeURIComponent(project)}`
  const pages = readApiPages(async cursor => {
    const path = `/v1/stacks?limit=100&cursor=${encodeURIComponent(cursor)}${projectQuery}`
    return listForm.parse(await client.call({ method: 'GET', path }))
  })
  for await (const page of pages) {
    stacks.push(...page.items.map(toStackRecord))
    for (const stack of page.unreadable) unreadable.set(stack.id, toUnreadableStack(stack))
  }
  return { stacks, unreadable: [...unreadable.values()] }
}

function toUnreadableStack({
  id,
  code,
}: {
  readonly id: string
  readonly code: string
}): UnreadableStack {
  const message = `the server cannot read the record of the stack ${id}`
  return {
    id: id as StackId,
    reason: createError(isErrorCode(code) ? code : 'RECORD_DAMAGED', message),
  }
}
