import { error } from '../../shared/errors/error.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import type { SecretsManager } from '../../shared/secrets/crypter.ts'
import { resealDeployment } from '../../shared/state/snapshot-codec.ts'
import {
  type BrokenReference,
  type MoveResult,
  moveResources,
} from '../../shared/state/edits/move-resources.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import type { StoredDeployment, StoredResource } from '../../shared/state/stored.ts'
import { equalValues } from '../../shared/values/equal.ts'
import { decodeStored } from '../../shared/values/stored.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import { openStateManager, openStackFile, openStackManager } from '../stack/stack-secrets.ts'
import { editConfirmedState } from '../state/edit-state.ts'

/** The stacks of a move. */
interface Sides {
  readonly source: StackId
  readonly dest: StackId
  /** Applies the move to both states. */
  readonly move: (source: StoredDeployment, dest: StoredDeployment) => MoveResult
}

/**
 * `state move <urns> --source <stack> --dest <stack>`: writes the destination first, so that one
 * stack always contains the resources. If the source cannot be written, the destination is
 * restored.
 */
export const moveStateResources: Handler = async (session, flags, urns) => {
  const [from, to] = [flags.text('source'), flags.text('dest')]
  if (from === undefined && to === undefined)
    throw error('CLI_USAGE', 'at least one of --source or --dest must be provided')
  const [source, dest] = [await session.requireStack(from), await session.requireStack(to)]
  if (source === dest) throw error('CLI_USAGE', 'source and destination are the same stack')
  const before = {
    source: await readValidState(session, source),
    dest: await readValidState(session, dest),
  }
  const managers = {
    source: await openStateManager(session, before.source),
    dest: await openDestManager(session, dest, before.dest),
  }
  const selection = { urns, includeParents: flags.is('includeParents') }
  const sides: Sides = {
    source,
    dest,
    move: (source, dest) =>
      moveResources(source, withManager(dest, managers.dest), {
        request: selection,
        target: createMoveTarget(sides.dest, managers),
      }),
  }
  const planned = sides.move(before.source, before.dest)
  reportMove(session, sides, planned)
  if (!(await confirmMove(session, flags)))
    throw error('CONFIRMATION_DECLINED', 'nothing was moved')
  await executeMove(session, sides, before)
  session.warn(`Successfully moved resources from ${source} to ${dest}`)
  return 0
}

/** Returns the state of a stack. Throws STATE_INTEGRITY when it is invalid. */
async function readValidState(session: CliSession, id: StackId): Promise<StoredDeployment> {
  const state = (await (await session.openEngine()).exportState(id)) ?? neverRan
  const fault = verifyIntegrity(state)
  if (fault !== undefined)
    throw error('STATE_INTEGRITY', `the state of ${id} is invalid: ${fault}`, {
      hint: 'Repair it with `antichain state repair`.',
    })
  return state
}

const neverRan: StoredDeployment = {
  manifest: { time: '0001-01-01T00:00:00Z', magic: '', version: '' },
  metadata: {},
}

/**
 * Opens the secrets manager of the destination. A stack without a deployment names it in its
 * configuration file, which requires the folder of its project.
 */
async function openDestManager(
  session: CliSession,
  dest: StackId,
  state: StoredDeployment,
): Promise<SecretsManager> {
  const own = await openStateManager(session, state)
  if (own !== undefined) return own
  const project = session.requireProject()
  const { stack, project: name } = stackPartsOf(dest)
  if (project.name !== name)
    throw error('SECRETS_MANAGER_UNSUPPORTED', `the stack '${stack}' has no secrets provider yet`, {
      hint: `Run the command in the folder of project '${name}', or deploy the stack once.`,
    })
  return openStackManager(session, dest, openStackFile(session, project, { stack: dest }))
}

function withManager(state: StoredDeployment, manager: SecretsManager): StoredDeployment {
  if (state.secrets_providers !== undefined) return state
  const { manifest, ...rest } = state
  return {
    manifest,
    secrets_providers: { type: manager.type, state: manager.state },
    ...rest,
  }
}

function createMoveTarget(
  dest: StackId,
  managers: { readonly source: SecretsManager | undefined; readonly dest: SecretsManager },
): Parameters<typeof moveResources>[2]['target'] {
  const open = managers.source?.crypter.decrypt ?? managers.dest.crypter.decrypt
  const reseal = (resources: readonly StoredResource[]): readonly StoredResource[] =>
    resealDeployment({ ...neverRan, resources }, open, managers.dest).resources ?? []
  const decode = (value: StoredResource[string] | undefined) =>
    value === undefined ? undefined : decodeStored(value, managers.dest.crypter.decrypt)
  return {
    names: stackPartsOf(dest),
    reseal,
    isEqual: (a, b) => equalValues(decode(a), decode(b)),
  }
}

async function confirmMove(session: CliSession, flags: Flags): Promise<boolean> {
  if (flags.is('yes')) return true
  if (!session.interactive)
    throw error('CLI_USAGE', '--yes must be passed in to proceed in non-interactive mode')
  const answer = await session.io.prompt('Do you want to perform this move? (y/N)')
  return ['y', 'yes'].includes(answer.trim().toLowerCase())
}

async function executeMove(
  session: CliSession,
  { source, dest, move }: Sides,
  before: { readonly source: StoredDeployment },
): Promise<void> {
  const local = await session.openEngine()
  const standing = await local.readStatus(source)
  if (standing.kind === 'running')
    throw error('STACK_BUSY', `deployment ${standing.number} of ${source} is running`)
  let destBefore: StoredDeployment | undefined
  const confirmed = async (): Promise<boolean> => true
  const edit = (stack: StackId, change: (state: StoredDeployment) => StoredDeployment) =>
    editConfirmedState(session, { stack, confirm: confirmed, change })
  await edit(dest, state => {
    destBefore = state
    return move(before.source, state).dest
  })
  try {
    await edit(source, state => {
      requireUnchanged(state, before.source)
      return move(state, destBefore ?? neverRan).source
    })
  } catch (thrown) {
    const { resources } = destBefore ?? neverRan
    await edit(dest, ({ resources: _moved, ...state }) =>
      resources === undefined ? state : { ...state, resources },
    )
    throw thrown
  }
}

/** Checks that the resources to remove are still the copied ones. Throws STORE_CONFLICT. */
function requireUnchanged(now: StoredDeployment, before: StoredDeployment): void {
  if (JSON.stringify(now.resources) === JSON.stringify(before.resources)) return
  throw error('STORE_CONFLICT', 'the source stack was changed concurrently')
}

function reportMove(session: CliSession, { source, dest }: Sides, plan: MoveResult): void {
  for (const urn of plan.unknown)
    session.warn(`warning: the resource ${urn} was not found in the source stack`)
  session.warn(`Planning to move the following resources from ${source} to ${dest}:\n`)
  for (const urn of plan.moved) session.warn(`  - ${urn}`)
  reportBroken(
    session,
    `Dependencies of resources that stay in ${source} on moved resources`,
    plan.brokenInSource,
  )
  reportBroken(
    session,
    `Dependencies of moved resources on resources that stay in ${source}`,
    plan.brokenInDest,
  )
  if (plan.brokenInSource.length + plan.brokenInDest.length > 0)
    session.warn('\nFrom now on, pass these values between the programs as outputs and inputs.')
}

function reportBroken(session: CliSession, text: string, broken: readonly BrokenReference[]): void {
  if (broken.length > 0) session.warn(`\n${text} are removed:\n`)
  for (const { urn, reference } of broken)
    session.warn(`  - ${urn} (${reference.key ?? reference.kind}) on ${reference.urn}`)
}
