import { expect } from 'vitest'
import { catalogue } from '../../shared/errors/catalogue.ts'
import { verifyExport } from '../verifier/verify.ts'
import { parallel } from './deployment-processes.ts'
import { type RequestedChange, type Place, requireSuccess } from './place.ts'
import type { Round, RoundResult, Victim } from './rounds.ts'
import { type ExportedState, lostObjects, readExport, upArgs } from './exported-state.ts'

/** A completed round. */
export interface CompletedRound {
  readonly round: Round
  readonly env: Readonly<Record<string, string>>
  readonly killed: readonly Victim[]
  /** The changes that were requested from the provider during the round. */
  readonly changes: readonly RequestedChange[]
  /** The exit code of the deployment's own command; undefined when it was killed. */
  readonly exit: number | undefined
  readonly output: string
}

/** Checks all conditions that must hold after a round, and that a user can then reach the goal. */
export async function checkRound(
  place: Place,
  over: CompletedRound,
): Promise<Omit<RoundResult, 'kills'>> {
  const repeated = checkChanges(over)
  const state = await readSoundState(place)
  checkPending(over, state)
  checkGoal(over, state)
  const unknown = new Set(state.pending.map(({ name }) => name))
  if (unknown.size > 0) await settle(place, over, unknown)
  return { unknown: unknown.size, repeated }
}

/**
 * Checks repeated calls and returns their number. No create is repeated. An update or delete is
 * repeated only when an executor died that may have sent it; each executor runs `parallel` calls at
 * once.
 */
export function checkChanges({
  changes,
  killed,
}: Pick<CompletedRound, 'changes' | 'killed'>): number {
  const counts = new Map<string, number>()
  for (const { call, urn, id = '' } of changes) {
    const key = call === 'create' ? `${call} ${urn}` : `${call} ${urn} ${id}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const again = [...counts].filter(([, count]) => count > 1)
  expect(again.filter(([key]) => key.startsWith('create '))).toEqual([])
  const executors = killed.map(whom => ({ generator: 0, executor: 1, all: 2 })[whom])
  const mayRepeat = executors.reduce((sum, some) => sum + some * parallel, 0)
  const repeated = again.reduce((sum, [, count]) => sum + count - 1, 0)
  expect(repeated, again.join('; ')).toBeLessThanOrEqual(mayRepeat)
  return repeated
}

/**
 * Returns the state after checking that it is valid, that no object was lost, and that each
 * resource equals its object.
 */
export async function readSoundState(
  place: Pick<Place, 'exportState' | 'listObjects'>,
): Promise<ExportedState> {
  const text = await place.exportState()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  const state = readExport(text)
  expect(lostObjects(place, state)).toEqual([])
  const objects = new Map(place.listObjects().map(({ id, props }) => [id, props]))
  for (const { id, inputs } of thingsOf(state)) expect(objects.get(id), id).toEqual(inputs)
  return state
}

/**
 * Checks the pending operations: only a killed executor leaves any, only creates, and the resumed
 * run names them.
 */
function checkPending({ killed, exit, output }: CompletedRound, state: ExportedState): void {
  const { pending } = state
  if (killed.every(whom => whom === 'generator')) expect(pending).toEqual([])
  for (const { name, type } of pending) {
    expect(type).toBe('creating')
    expect(output).toContain(name)
  }
  const ended = pending.length === 0 ? 0 : catalogue.DEPLOYMENT_FAILED.exit
  if (exit !== undefined) expect(exit, output).toBe(ended)
}

/**
 * Checks that every resource is at its goal, except pending ones and their dependents. Without
 * pending operations nothing else exists.
 */
export function checkGoal(
  { round, env }: { readonly round: Pick<Round, 'doing'>; readonly env: CompletedRound['env'] },
  state: ExportedState,
): void {
  const goal = goalOf(round, env)
  const pending = new Set(state.pending.map(({ name }) => name))
  const isOpen = (name: string): boolean =>
    pending.has(name) || pending.has(dependencyOf(name) ?? '')
  const found = thingsOf(state)
  const wanted = [...goal].filter(([name]) => !isOpen(name))
  const current = new Map(found.flatMap(one => (one.isReplaced ? [] : [[one.name, one.inputs]])))
  for (const [name, inputs] of wanted) expect(current.get(name), name).toEqual(inputs)
  // Like Pulumi, a failed deployment deletes nothing.
  if (pending.size === 0)
    expect(found.map(({ name }) => name).sort()).toEqual([...goal.keys()].sort())
}

/**
 * Clears the creates with unknown ends as a user would. Their objects are the only ones that may
 * remain unmanaged.
 */
async function settle(
  place: Place,
  over: CompletedRound,
  unknown: ReadonlySet<string>,
): Promise<void> {
  const { env } = over
  const args = ['refresh', '-y', '--skip-preview', '--clear-pending-creates', '-s', 'dev']
  requireSuccess(await place.run(args, { env }))
  requireSuccess(await place.run([...upArgs, '-p', '64'], { env }))
  const state = readExport(await place.exportState())
  checkGoal(over, { ...state, pending: [] })
  const kept = new Set(state.resources.map(({ id }) => id))
  const left = place.listObjects().filter(({ id }) => !kept.has(id))
  for (const { id } of left) expect([...unknown]).toContain(id.replace(/-\d+$/, ''))
  expect(left.length).toBeLessThanOrEqual(unknown.size)
}

function thingsOf({ resources }: ExportedState): ExportedState['resources'] {
  return resources.filter(({ type, isGone }) => type === 'gold:index:Thing' && !isGone)
}

/** Returns the inputs that the program registers, by name. This function mirrors the program. */
function goalOf(
  { doing }: Pick<Round, 'doing'>,
  env: CompletedRound['env'],
): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  if (doing.startsWith('destroy')) return new Map()
  const delay = Number(env['DELAY'] ?? 100)
  const properties = { update: 'value', replace: 'replace', 'delete-first': 'replaceDelete' }
  const ways = ['update', 'replace', 'delete-first', 'update', 'replace'] as const
  const goal = new Map<string, Readonly<Record<string, unknown>>>()
  const isMixed = doing === 'mixed'
  for (let at = 0; at < Number(env['COUNT'] ?? 50); at++) {
    if (isMixed && at % 10 === 7) continue
    const way = isMixed
      ? ways[at % 5]
      : doing === 'replace' || doing === 'delete-first'
        ? doing
        : 'update'
    const inputs = isMixed && at % 10 === 6 ? {} : { [properties[way ?? 'update']]: 2 }
    goal.set(`thing-${at}`, { delay, ...inputs })
  }
  if (isMixed) for (let at = 0; at < 5; at++) goal.set(`more-${at}`, { delay, value: 2 })
  return goal
}

/** Every fifth resource depends on the previous one. */
function dependencyOf(name: string): string | undefined {
  const at = Number(/^thing-(\d+)$/.exec(name)?.[1] ?? Number.NaN)
  return at % 5 === 4 ? `thing-${at - 1}` : undefined
}
