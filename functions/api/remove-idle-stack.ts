import {
  createJustEndedError,
  createOpenDeploymentError,
} from '../../shared/engine/deployment/ownership/stack-busy.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { ApiPorts } from './define-route.ts'
import { removeStackDocuments } from './scheduler-calls.ts'

/** Removes a stack with its documents. Throws STACK_BUSY while the stack has an open deployment. */
export async function removeIdleStack(
  ports: Pick<ApiPorts, 'catalog' | 'clock' | 'control' | 'documents' | 'scheduler' | 'logger'>,
  id: StackId,
): Promise<void> {
  if (!(await ports.catalog.removeStack(id))) {
    const current = (await ports.catalog.getStack(id))?.current ?? ''
    if (current !== '') throw await createOpenDeploymentError(ports, current)
    throw createJustEndedError(id)
  }
  await removeStackDocuments(ports, id)
}
