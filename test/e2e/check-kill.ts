import { expect } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createPlace, type Place, requireSuccess, waitUntil } from './place.ts'
import { initDevStack, lostObjects, readExport, readStackState, upArgs } from './exported-state.ts'

/** The way in which a deployment of 50 creates is killed. */
export interface ProcessKill {
  readonly whom: 'process' | 'group'
  /** Number of the provider's objects at which the kill happens. */
  readonly objects: number
}

/**
 * Kills a deployment in the middle and checks the result. All its processes end soon, the next `up`
 * can continue, and no object of the provider is lost.
 */
export async function checkKill({ whom, objects }: ProcessKill): Promise<void> {
  const place = createPlace('many')
  try {
    await initDevStack(place)
    const running = place.start([...upArgs, '-p', '8'])
    await waitUntil(() => place.listObjects().length >= objects, { what: `${objects} objects` })
    running.kill('SIGKILL', whom)
    expect((await running.done).exit).toBe(137)
    await waitUntil(() => place.listProcesses().length === 0, {
      what: 'no orphans',
      limitMs: 15_000,
    })
    expect(place.listObjects().length).toBeLessThan(50)
    await checkNext(place)
  } finally {
    place.remove()
  }
}

async function checkNext(place: Place): Promise<void> {
  const before = place.listObjects().map(({ id }) => id)
  const next = requireSuccess(await place.run([...upArgs, '-p', '8']))
  const text = await place.exportState()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  const state = readExport(text)
  expect(lostObjects(place, state)).toEqual([])
  expect(state.resources.filter(({ name }) => name.startsWith('thing-'))).toHaveLength(50)
  for (const { name, type } of state.pending) {
    expect(type).toBe('creating')
    expect(next.out + next.err).toContain(name)
  }
  // A create that had ended before the kill was not repeated.
  const kept = new Set(state.resources.map(({ id }) => id))
  const repeated = before.filter(id => !kept.has(id))
  const pending = new Set(state.pending.map(({ name }) => name))
  expect(repeated.filter(id => !pending.has(id.replace(/-\d+$/, '')))).toEqual([])
  requireSuccess(
    await place.run(['refresh', '-y', '--skip-preview', '--clear-pending-creates', '-s', 'dev']),
  )
  expect((await readStackState(place)).pending).toEqual([])
}
