import { afterEach, expect, test } from 'vitest'
import { readStateAt, readDeploymentTimeline } from '../../shared/runtime/state/state-at-time.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import { parsePointInTime } from '../../shared/records/point-in-time.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import { createForeignCloud, firstProgram, scenarios, secondProgram } from './resume.ts'
import { createEngines, getTestStack, createThings } from './register-thing.ts'
import { ProcessKilledError } from './test-process.ts'

const engines = createEngines()
afterEach(() => engines.close())

const toText = (state: unknown): string => JSON.stringify(state)
/** A time after all deployments, in the year 2096. */
const later = 4e12 as EpochMs

test.each(scenarios)(
  'the state at every moment of $name is valid, and the last one equals the published state',
  async ({ program, options }) => {
    const cloud = createForeignCloud()
    const engine = await engines.open(cloud)
    await engine.run(firstProgram)
    cloud.drift()
    const testRun = await engine.run(program, options)
    const { platform } = engine
    const stack = await getTestStack(platform)
    const { moments = [], record } = await readDeploymentTimeline(platform, stack, 2)
    const last = Number(moments.at(-1)?.moment.split(':')[1])
    expect(last).toBeGreaterThan(5)
    const seenResources = new Set<string>()
    for (let lamport = 0; lamport <= last; lamport += 1) {
      const moment = { kind: 'lamport', deployment: 2, lamport } as const
      const state = await readStateAt(platform, stack, moment, later)
      if (state === undefined) throw new Error('the stack had no state at this moment')
      expect(verifyIntegrity(state), `2:${lamport}`).toBeUndefined()
      seenResources.add(toText(state.resources))
      if (lamport === last) expect(toText(state)).toBe(toText(testRun.state))
    }
    expect(seenResources.size).toBeGreaterThan(2)
    const times = new Set(moments.flatMap(({ at }) => [at - 1, at]))
    for (const timeMs of times) {
      if (timeMs >= (record.endedAt ?? 0)) continue
      const state = await readStateAt(
        platform,
        stack,
        { kind: 'time', timeMs: timeMs as EpochMs },
        later,
      )
      expect(state && verifyIntegrity(state), `at ${timeMs}`).toBeUndefined()
    }
    const now = { kind: 'time', timeMs: platform.clock.now() } as const
    expect(toText(await readStateAt(platform, stack, now, later))).toBe(toText(testRun.state))
  },
)

test('the states at the moments of an interrupted deployment are valid, too', async () => {
  const engine = await engines.open(createForeignCloud())
  await engine.run(firstProgram)
  const killed = engine.run(secondProgram, { kill: { effect: 60, when: 'after' } })
  await expect(killed).rejects.toBeInstanceOf(ProcessKilledError)
  const { platform } = engine
  const { moments = [] } = await readDeploymentTimeline(platform, await getTestStack(platform), 2)
  for (const { moment } of moments) {
    const parsed = parsePointInTime(moment)
    if (parsed === undefined) throw new Error(moment)
    const state = await readStateAt(platform, await getTestStack(platform), parsed, later)
    expect(state && verifyIntegrity(state), moment).toBeUndefined()
  }
})

test('a moment that the stack does not have is refused, and a malformed one is not parsed', async () => {
  const engine = await engines.open(createForeignCloud())
  await engine.run(createThings({ a: { v: 1 } }))
  const { platform } = engine
  const stack = await getTestStack(platform)
  const readAt = (moment: string, now = later) => {
    const parsed = parsePointInTime(moment)
    if (parsed === undefined) throw new Error(`not a moment: ${moment}`)
    return readStateAt(platform, stack, parsed, now)
  }
  const unknown = { code: 'MOMENT_UNKNOWN' }
  await expect(readAt('2:1')).rejects.toMatchObject(unknown)
  await expect(readAt('1:1000')).rejects.toMatchObject(unknown)
  await expect(readAt('2001-01-01T00:00:00Z')).rejects.toMatchObject(unknown)
  await expect(readAt('2090-01-01T00:00:00Z', platform.clock.now())).rejects.toMatchObject(unknown)
  expect(await readAt(new Date(stack.createdAt).toISOString())).toBeUndefined()
  expect(await readAt('1:0')).toBeUndefined()
  for (const wrong of ['', '1', 'x:1', '1:-1', 'yesterday', '2026-13-40T00:00:00Z', '2026-01-01'])
    expect(parsePointInTime(wrong), wrong).toBeUndefined()
})
