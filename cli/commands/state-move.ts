import { createError, messageOf } from '../../shared/errors/error.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import type { SecretsManager } from '../../shared/secrets/crypter.ts'
import { resealDeployment } from '../../shared/state/snapshot-codec.ts'
import {
  type BrokenReference,
  type MoveResult,
  moveResources,
} from '../../shared/state/edits/move-resources.ts'
import { digestOfResources } from '../../shared/state/edits/apply-edit.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import { emptyDeployment } from '../../shared/state/empty-deployment.ts'
import type { StoredDeployment, StoredResource } from '../../shared/state/stored.ts'
import { areEqualValues } from '../../shared/values/equal.ts'
import { decodeStored } from '../../shared/values/value-codec.ts'
import type { Handler } from '../arguments/handler.ts'
import type { Flags } from '../arguments/flags.ts'
import { askYesNo, type CliSession, requireConfirmable } from '../session/session.ts'
import {
  openStateManager,
  openStackFile,
  openStackManager,
  ownKeysOf,
} from '../stack/stack-secrets.ts'
import { editConfirmedState } from '../state/edit-state.ts'

/** The stacks of a move. */
interface MoveStacks {
  readonly source: StackId
  readonly dest: StackId
}

/** The states of both stacks before a move, and the planned move. */
interface MoveStates {
  readonly statesBefore: { readonly source: StoredDeployment; readonly dest: StoredDeployment }
  readonly plan: MoveResult
}

/**
 * `state move <urns> --source <stack> --dest <stack>`: moves resources to another stack. It writes
 * the destination first, so that at least one stack contains the resources at any time. If the
 * source cannot be written, the resources of the destination are restored. If only the reply of
 * the write is lost, the move has succeeded.
 */
export const moveStateResources: Handler = async (session, flags, urns) => {
  const [sourceName, destName] = [flags.text('source'), flags.text('dest')]
  if (sourceName === undefined && destName === undefined)
    throw createError('CLI_USAGE', 'at least one of --source or --dest must be provided')
  const [source, dest] = [
    await session.requireStack(sourceName),
    await session.requireStack(destName),
  ]
  if (source === dest) throw createError('CLI_USAGE', 'source and destination are the same stack')
  const statesBefore = {
    source: await readValidState(session, source),
    dest: await readValidState(session, dest),
  }
  const managers = {
    source: await openStateManager(session, statesBefore.source, ownKeysOf(source)),
    dest: await openDestManager(session, dest, statesBefore.dest),
  }
  const selection = { urns, includeParents: flags.isSet('includeParents') }
  const stacks: MoveStacks = { source, dest }
  const plan = moveResources(statesBefore.source, withManager(statesBefore.dest, managers.dest), {
    request: selection,
    target: createMoveTarget(dest, managers),
  })
  reportMove(session, stacks, plan)
  if (!(await confirmMove(session, flags)))
    throw createError('CONFIRMATION_DECLINED', 'nothing was moved')
  await executeMove(session, stacks, { statesBefore, plan })
  session.printToStderr(`Successfully moved resources from ${source} to ${dest}`)
  return 0
}

/** Returns the state of a stack. Throws STATE_INTEGRITY when it is invalid. */
async function readValidState(session: CliSession, id: StackId): Promise<StoredDeployment> {
  const state = (await (await session.openEngine()).exportState(id)) ?? emptyDeployment
  const fault = verifyIntegrity(state)
  if (fault !== undefined)
    throw createError('STATE_INTEGRITY', `the state of ${id} is invalid: ${fault}`, {
      hint: 'Repair it with `antichain state repair`.',
    })
  return state
}

/**
 * Opens the secrets manager of the destination. If its state names no manager, the configuration
 * file is used. The command must then run in the folder of the stack's project.
 */
async function openDestManager(
  session: CliSession,
  dest: StackId,
  state: StoredDeployment,
): Promise<SecretsManager> {
  const stackManager = await openStateManager(session, state, ownKeysOf(dest))
  if (stackManager !== undefined) return stackManager
  const project = session.requireProject()
  const { stack, project: name } = stackPartsOf(dest)
  if (project.name !== name)
    throw createError(
      'SECRETS_MANAGER_UNSUPPORTED',
      `the stack '${stack}' has no secrets provider yet`,
      {
        hint: `Run the command in the folder of project '${name}', or deploy the stack once.`,
      },
    )
  return openStackManager(session, dest, openStackFile(session, project, { stack: dest }))
}

function withManager(state: StoredDeployment, manager: SecretsManager): StoredDeployment {
  if (state.secrets_providers !== undefined) return state
  const { manifest, ...otherFields } = state
  return {
    manifest,
    secrets_providers: { type: manager.type, state: manager.state },
    ...otherFields,
  }
}

function createMoveTarget(
  dest: StackId,
  managers: { readonly source: SecretsManager | undefined; readonly dest: SecretsManager },
): Parameters<typeof moveResources>[2]['target'] {
  const decrypt = managers.source?.crypter.decrypt ?? managers.dest.crypter.decrypt
  const reseal = (resources: readonly StoredResource[]): readonly StoredResource[] =>
    resealDeployment({ ...emptyDeployment, resources }, decrypt, managers.dest).resources ?? []
  const decode = (value: StoredResource[string] | undefined) =>
    value === undefined ? undefined : decodeStored(value, managers.dest.crypter.decrypt)
  return {
    names: stackPartsOf(dest),
    reseal,
    isEqual: (a, b) => areEqualValues(decode(a), decode(b)),
  }
}

async function confirmMove(session: CliSession, flags: Flags): Promise<boolean> {
  const isConfirmed = flags.isSet('yes')
  requireConfirmable(session, isConfirmed)
  return isConfirmed || (await askYesNo(session, 'Do you want to perform this move?'))
}

/**
 * Writes both states. If the source cannot be written and the destination is not restored, both may
 * contain the resources, and a warning reports this. Throws STACK_BUSY while a deployment of the
 * source runs, and STORE_CONFLICT when the resources of a stack were changed since they were read.
 */
async function executeMove(
  session: CliSession,
  { source, dest }: MoveStacks,
  { statesBefore, plan }: MoveStates,
): Promise<void> {
  const engine = await session.openEngine()
  const status = await engine.readStatus(source)
  if (status.kind === 'running')
    throw createError('STACK_BUSY', `deployment ${status.number} of ${source} is running`)
  const replace = async (
    stack: StackId,
    before: StoredDeployment,
    after: StoredDeployment,
  ): Promise<void> => {
    const stateHash = await engine.putState(stack, after)
    const expected = digestOfResources(before)
    const edit = { kind: 'resources', state: stateHash, expected } as const
    await editConfirmedState(session, { stack, confirm: async () => true, edit })
  }
  await replace(dest, statesBefore.dest, plan.dest)
  try {
    await replace(source, statesBefore.source, plan.source)
  } catch (thrown) {
    try {
      const sourceState = (await engine.exportState(source)) ?? emptyDeployment
      // The write has succeeded, and only its reply was lost.
      if (digestOfResources(sourceState) === digestOfResources(plan.source)) return
      requireResources(source, sourceState, plan.movedUrns)
      await replace(dest, plan.dest, statesBefore.dest)
    } catch (restoreFailure) {
      session.printToStderr(
        `warning: the moved resources are in ${dest}, and maybe also in ${source}, because ` +
          `${dest} was not restored: ${messageOf(restoreFailure)}. If both stacks have them, ` +
          'remove them from one before the next deployment, with ' +
          '`antichain state delete --stack <stack> <urn>`.',
      )
    }
    throw thrown
  }
}

/** Throws STORE_CONFLICT if a state lacks a resource. */
function requireResources(
  stack: StackId,
  { resources = [] }: StoredDeployment,
  urns: readonly string[],
): void {
  const presentUrns = new Set(resources.map(({ urn }) => urn))
  const missingUrn = urns.find(urn => !presentUrns.has(urn))
  if (missingUrn !== undefined)
    throw createError('STORE_CONFLICT', `${stack} no longer has the resource ${missingUrn}`)
}

function reportMove(session: CliSession, { source, dest }: MoveStacks, plan: MoveResult): void {
  for (const urn of plan.unknownUrns)
    session.printToStderr(`warning: the resource ${urn} was not found in the source stack`)
  session.printToStderr(`Planning to move the following resources from ${source} to ${dest}:\n`)
  for (const urn of plan.movedUrns) session.printToStderr(`  - ${urn}`)
  reportBrokenReferences(
    session,
    `Dependencies of resources that stay in ${source} on moved resources`,
    plan.brokenInSource,
  )
  reportBrokenReferences(
    session,
    `Dependencies of moved resources on resources that stay in ${source}`,
    plan.brokenInDest,
  )
  if (plan.brokenInSource.length + plan.brokenInDest.length > 0)
    session.printToStderr(
      '\nFrom now on, pass these values between the programs as outputs and inputs.',
    )
}

function reportBrokenReferences(
  session: CliSession,
  text: string,
  brokenReferences: readonly BrokenReference[],
): void {
  if (brokenReferences.length > 0) session.printToStderr(`\n${text} are removed:\n`)
  for (const { urn, reference } of brokenReferences)
    session.printToStderr(`  - ${urn} (${reference.key ?? reference.kind}) on ${reference.urn}`)
}
