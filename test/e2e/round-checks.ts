import { expect } from 'vitest'
import { catalogue } from '../../shared/errors/catalogue.ts'
import { verifyExport } from '../verifier/verify.ts'
import { operationsPerExecutor } from './deployment-processes.ts'
import { type RequestedChange, type Sandbox, requireSuccess } from './sandbox.ts'
import type { Round, RoundResult, KillTarget } from './rounds.ts'
import { type ExportedState, findLostObjects, parseExport, upArgs } from './exported-state.ts'

/** A completed round. */
export interface CompletedRound {
  readonly round: Round
  readonly env: Readonly<Record<string, string>>
  readonly killedTargets: readonly KillTarget[]
  /** The changes that were requested from the provider during the round. */
  readonly changes: readonly RequestedChange[]
  /** The exit code of the deployment's own command; undefined when it was killed. */
  readonly exit: number | undefined
  readonly output: string
}

/** Checks all conditions that must hold after a round, and that a user can then reach the goal. */
export async function checkRound(
  sandbox: Sandbox,
  completedRound: CompletedRound,
): Promise<Omit<RoundResult, 'kills'>> {
  const repeatedCalls = checkChanges(completedRound)
  const state = await readSoundState(sandbox)
  checkPending(completedRound, state)
  checkGoal(completedRound, state)
  const unknownCreates = new Set(state.pending.map(({ name }) => name))
  if (unknownCreates.size > 0) await clearPendingCreates(sandbox, completedRound, unknownCreates)
  return { unknownCreates: unknownCreates.size, repeatedCalls }
}

/**
 * Checks repeated calls and returns their number. No create is repeated. Each killed executor can
 * cause at most `parallel` repeated updates and deletes, because it runs that many calls at the
 * same time.
 */
export function checkChanges({
  changes,
  killedTargets,
}: Pick<CompletedRound, 'changes' | 'killedTargets'>): number {
  const counts = new Map<string, number>()
  for (const { call, urn, id = '' } of changes) {
    const key = call === 'create' ? `${call} ${urn}` : `${call} ${urn} ${id}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const repeatedKeys = [...counts].filter(([, count]) => count > 1)
  expect(repeatedKeys.filter(([key]) => key.startsWith('create '))).toEqual([])
  const killedExecutorCounts = killedTargets.map(
    target => ({ generator: 0, executor: 1, all: 2 })[target],
  )
  const repeatsMax = killedExecutorCounts.reduce(
    (sum, killed) => sum + killed * operationsPerExecutor,
    0,
  )
  const repeatedCalls = repeatedKeys.reduce((sum, [, count]) => sum + count - 1, 0)
  expect(repeatedCalls, repeatedKeys.join('; ')).toBeLessThanOrEqual(repeatsMax)
  return repeatedCalls
}

/**
 * Returns the state after checking that it is valid, that no object was lost, and that each
 * resource equals its object.
 */
export async function readSoundState(
  sandbox: Pick<Sandbox, 'exportState' | 'listObjects'>,
): Promise<ExportedState> {
  const text = await sandbox.exportState()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  const state = parseExport(text)
  expect(findLostObjects(sandbox, state)).toEqual([])
  const objects = new Map(sandbox.listObjects().map(({ id, props }) => [id, props]))
  for (const { id, inputs } of thingsOf(state)) expect(objects.get(id), id).toEqual(inputs)
  return state
}

/**
 * Checks the pending operations. Only a killed executor leaves pending operations, only creates are
 * pending, and the output of the generators names them.
 */
function checkPending({ killedTargets, exit, output }: CompletedRound, state: ExportedState): void {
  const { pending } = state
  if (killedTargets.every(target => target === 'generator')) expect(pending).toEqual([])
  for (const { name, type } of pending) {
    expect(type).toBe('creating')
    expect(output).toContain(name)
  }
  const expectedExit = pending.length === 0 ? 0 : catalogue.DEPLOYMENT_FAILED.exit
  if (exit !== undefined) expect(exit, output).toBe(expectedExit)
}

/**
 * Checks that every resource is at its goal, except pending ones and their dependents. Without
 * pending operations nothing else exists.
 */
export function checkGoal(
  { round, env }: { readonly round: Pick<Round, 'kind'>; readonly env: CompletedRound['env'] },
  state: ExportedState,
): void {
  const goal = goalOf(round, env)
  const pendingNames = new Set(state.pending.map(({ name }) => name))
  const mayMissGoal = (name: string): boolean =>
    pendingNames.has(name) || pendingNames.has(dependencyOf(name) ?? '')
  const things = thingsOf(state)
  const expected = [...goal].filter(([name]) => !mayMissGoal(name))
  const current = new Map(
    things.flatMap(thing => (thing.isReplaced ? [] : [[thing.name, thing.inputs]])),
  )
  for (const [name, inputs] of expected) expect(current.get(name), name).toEqual(inputs)
  // As in Pulumi, a failed deployment deletes nothing.
  if (pendingNames.size === 0)
    expect(things.map(({ name }) => name).sort()).toEqual([...goal.keys()].sort())
}

/**
 * Clears the pending creates as a user would. Only the objects of these creates may remain
 * unmanaged.
 */
async function clearPendingCreates(
  sandbox: Sandbox,
  completedRound: CompletedRound,
  unknownCreates: ReadonlySet<string>,
): Promise<void> {
  const { env } = completedRound
  const args = ['refresh', '-y', '--skip-preview', '--clear-pending-creates', '-s', 'dev']
  requireSuccess(await sandbox.run(args, { env }))
  requireSuccess(await sandbox.run([...upArgs, '-p', '64'], { env }))
  const state = parseExport(await sandbox.exportState())
  checkGoal(completedRound, { ...state, pending: [] })
  const managedIds = new Set(state.resources.map(({ id }) => id))
  const unmanagedObjects = sandbox.listObjects().filter(({ id }) => !managedIds.has(id))
  for (const { id } of unmanagedObjects)
    expect([...unknownCreates]).toContain(id.replace(/-\d+$/, ''))
  expect(unmanagedObjects.length).toBeLessThanOrEqual(unknownCreates.size)
}

function thingsOf({ resources }: ExportedState): ExportedState['resources'] {
  return resources.filter(
    ({ type, isAwaitingReplacement }) => type === 'gold:index:Thing' && !isAwaitingReplacement,
  )
}

/** Returns the inputs that the program `rounds` registers, by name. Mirrors that program. */
function goalOf(
  { kind }: Pick<Round, 'kind'>,
  env: CompletedRound['env'],
): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  if (kind.startsWith('destroy')) return new Map()
  const delay = Number(env['DELAY'] ?? 100)
  const properties = { update: 'value', replace: 'replace', 'delete-first': 'replaceDelete' }
  const mixedKinds = ['update', 'replace', 'delete-first', 'update', 'replace'] as const
  const goal = new Map<string, Readonly<Record<string, unknown>>>()
  const isMixed = kind === 'mixed'
  for (let index = 0; index < Number(env['COUNT'] ?? 50); index++) {
    if (isMixed && index % 10 === 7) continue
    const updateKind = isMixed
      ? mixedKinds[index % 5]
      : kind === 'replace' || kind === 'delete-first'
        ? kind
        : 'update'
    const inputs = isMixed && index % 10 === 6 ? {} : { [properties[updateKind ?? 'update']]: 2 }
    goal.set(`thing-${index}`, { delay, ...inputs })
  }
  if (isMixed)
    for (let index = 0; index < 5; index++) goal.set(`more-${index}`, { delay, value: 2 })
  return goal
}

/**
 * Returns the name of the resource on which a resource depends. Every fifth resource depends on the
 * previous one.
 */
function dependencyOf(name: string): string | undefined {
  const index = Number(/^thing-(\d+)$/.exec(name)?.[1] ?? Number.NaN)
  return index % 5 === 4 ? `thing-${index - 1}` : undefined
}
