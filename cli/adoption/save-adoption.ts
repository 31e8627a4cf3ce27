import type { DeployInput } from '../../shared/engine/request.ts'
import { createError } from '../../shared/errors/error.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import { digestOfResources } from '../../shared/state/edits/apply-edit.ts'
import type { Snapshot } from '../../shared/state/snapshot.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { sortTopologically } from '../../shared/state/topological-sort.ts'
import { askYesNo, type CliSession } from '../session/session.ts'
import { editConfirmedState } from '../state/edit-state.ts'

/**
 * Publishes the resources of a stack after an adoption, with sealed secrets. Pending operations
 * stay. Throws CONFIRMATION_DECLINED, STATE_INTEGRITY if the resulting state would be invalid,
 * STORE_CONFLICT if the stack was changed meanwhile, and the errors of an edit. After an error
 * nothing is changed.
 */
export async function saveAdoption(
  session: CliSession,
  adoption: {
    readonly request: DeployInput
    readonly before: { readonly stored: StoredDeployment; readonly snapshot: Snapshot }
    readonly resources: Snapshot['resources']
    readonly mustConfirm: boolean
  },
): Promise<void> {
  const { request, before, resources, mustConfirm } = adoption
  const { stack, secrets } = request
  const { encodeSnapshot } = await session.tools.loadState()
  const encodedState = await encodeSnapshot({ ...before.snapshot, resources }, secrets, 'sealed')
  const newState = {
    ...encodedState,
    resources: sortTopologically(encodedState.resources ?? []).resources,
  }
  const fault = verifyIntegrity(newState)
  if (fault !== undefined)
    throw createError('STATE_INTEGRITY', `the state after the adoption would be invalid: ${fault}`)
  const engine = await session.openEngine()
  // The state is only stored here. The edit publishes it after the confirmation.
  const edit = {
    kind: 'resources',
    state: await engine.putState(stack, newState),
    expected: digestOfResources(before.stored),
  } as const
  await editConfirmedState(session, {
    edit,
    stack,
    confirm: async introduction => {
      const { stack: name } = stackPartsOf(stack)
      const question = `${introduction}Adopt these objects into stack ${name}?`
      return !mustConfirm || (await askYesNo(session, question))
    },
  })
}
