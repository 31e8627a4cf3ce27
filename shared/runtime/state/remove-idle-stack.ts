import {
  createJustEndedError,
  createOpenDeploymentError,
} from '../../engine/deployment/ownership/stack-busy.ts'
import type { StackIdentity } from '../../ports/catalog.ts'
import type { DocumentsPort } from '../../ports/documents.ts'
import type { Platform } from '../../ports/platform.ts'
import type { StackId } from '../../records/ids.ts'
import { readDocumentsOf } from '../../triggers/read-documents.ts'
import {
  type CallRemovalPorts,
  removeSchedulerCalls,
} from '../../triggers/schedules/remove-scheduler-calls.ts'

/** The ports for removing the documents of a stack. */
interface DocumentRemovalPorts extends CallRemovalPorts {
  readonly documents: Pick<DocumentsPort, 'list' | 'remove'>
}

/**
 * Removes a stack with its documents. Throws STACK_BUSY while the stack has an open deployment, and
 * for a stack with other values than `expected`.
 */
export async function removeIdleStack(
  ports: Pick<Platform, 'catalog' | 'clock' | 'control'> & DocumentRemovalPorts,
  id: StackId,
  expected?: StackIdentity,
): Promise<void> {
  if (!(await ports.catalog.removeStack(id, expected))) {
    const current = (await ports.catalog.getStack(id))?.current ?? ''
    if (current !== '') throw await createOpenDeploymentError(ports, current)
    throw createJustEndedError(id)
  }
  await removeStackDocuments(ports, id)
}

/** The kinds of documents that belong to a stack. */
const stackDocumentKinds = [
  'schedule',
  'notification',
  'delivery-history',
  'stack-settings',
] as const

/**
 * Removes the schedules, notifications and settings of a removed stack, at most `documentPagesMax`
 * pages of each. A new stack with its name then starts without them.
 */
export async function removeStackDocuments(
  ports: DocumentRemovalPorts,
  stack: StackId,
): Promise<void> {
  for (const kind of stackDocumentKinds)
    for await (const { key, version, value } of readDocumentsOf(ports.documents, kind, stack))
      if (await ports.documents.remove(key, version)) await removeSchedulerCalls(ports, value)
}
