import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../../platform/embedded/embedded-platform.ts'
import type { DocumentKey } from '../../ports/documents.ts'
import type { EpochMs, StackId } from '../../records/ids.ts'
import { type ScheduleRunDeps, runSchedule } from './run-schedule.ts'
import { jitterOf, scheduleDocument } from './due-schedule.ts'

/**
 * Returns the time that a text names. The tests use times in the future, because the store decides
 * by the system's clock whether a mark has expired.
 */
const parseMs = (text: string): EpochMs => Date.parse(text) as EpochMs
let home = ''
let platform: EmbeddedPlatform
let now: EpochMs
let isRunning = false
let failures = 0
let count = 0
let sent: string[] = []

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'antichain-schedules-'))
  platform = await openEmbeddedPlatform({ home })
})
afterAll(async () => {
  await platform.close()
  rmSync(home, { recursive: true })
})
beforeEach(() => {
  sent = []
  failures = 0
  isRunning = false
})

const createDeps = (): ScheduleRunDeps => ({
  documents: platform.documents,
  marks: platform.marks,
  clock: { now: () => now },
  isRunning: async () => isRunning,
  hasExternalJitter: false,
  send: async (_key, schedule, at) => {
    if (failures > 0) {
      failures -= 1
      throw new Error('the queue is not there')
    }
    sent.push(`${schedule.operation.kind} ${new Date(at).toISOString()}`)
  },
})

async function putSchedule(when: string, overrides: object = {}): Promise<DocumentKey> {
  count += 1
  const scope = 'organization/shop/prod' as StackId
  const key: DocumentKey = { kind: 'schedule', scope, name: `s${count}` }
  const operation = { kind: 'refresh' }
  const value = { when, operation, createdAt: parseMs('2096-01-01T00:00:00Z'), ...overrides }
  await platform.documents.put(key, scheduleDocument.parse(value), 0)
  return key
}
const run = async (key: DocumentKey) => (await runSchedule(createDeps(), key)).kind

describe('a schedule', () => {
  test('requests its operation once for each due time', async () => {
    const key = await putSchedule('0 4 * * *')
    now = parseMs('2096-01-01T03:59:00Z')
    expect(await run(key)).toBe('wait')
    now = parseMs('2096-01-01T04:00:00Z')
    expect([await run(key), await run(key)]).toEqual(['run', 'wait'])
    now = parseMs('2096-01-02T04:00:00Z')
    expect(await run(key)).toBe('run')
    expect(sent).toEqual(['refresh 2096-01-01T04:00:00.000Z', 'refresh 2096-01-02T04:00:00.000Z'])
  })

  test('that several processes check requests its operation once', async () => {
    const key = await putSchedule('0 4 * * *')
    now = parseMs('2096-01-01T04:00:00Z')
    await Promise.all([1, 2, 3, 4, 5].map(() => run(key)))
    expect(sent).toHaveLength(1)
    expect(await run(key)).toBe('wait')
  })

  test('whose request failed is still due', async () => {
    const key = await putSchedule('at(2096-02-01T00:00:00)', { operation: { kind: 'destroy' } })
    now = parseMs('2096-02-01T00:00:30Z')
    failures = 1
    await expect(run(key)).rejects.toThrow('the queue')
    expect([await run(key), await run(key)]).toEqual(['run', 'over'])
    expect(sent).toEqual(['destroy 2096-02-01T00:00:00.000Z'])
  })

  test('that was changed before its sent run was saved does not send the run again', async () => {
    const key = await putSchedule('0 4 * * *')
    now = parseMs('2096-01-01T04:00:00Z')
    const { documents } = platform
    const refusingDocuments = { ...documents, put: async () => false as const }
    expect((await runSchedule({ ...createDeps(), documents: refusingDocuments }, key)).kind).toBe(
      'run',
    )
    expect([await run(key), await run(key)]).toEqual(['repeated', 'wait'])
    expect(sent).toHaveLength(1)
  })

  test('skips a run while its stack runs another deployment', async () => {
    const key = await putSchedule('0 4 * * *')
    now = parseMs('2096-01-01T04:00:00Z')
    isRunning = true
    expect(await run(key)).toBe('skip')
    isRunning = false
    expect(await run(key)).toBe('wait')
    expect(sent).toEqual([])
  })

  test('whose scheduler applies the jitter runs when it is called', async () => {
    const key = await putSchedule('0 4 * * *', { jitterMs: 3_600_000 })
    expect(jitterOf(key, 3_600_000)).toBeGreaterThan(60_000)
    now = parseMs('2096-01-01T04:00:10Z')
    expect(await run(key)).toBe('wait')
    expect((await runSchedule({ ...createDeps(), hasExternalJitter: true }, key)).kind).toBe('run')
  })

  test('that is removed, paused or invalid requests no operation', async () => {
    now = parseMs('2097-01-01T00:00:00Z')
    expect(await run({ kind: 'schedule', scope: '*', name: 'none' })).toBe('gone')
    expect(await run(await putSchedule('0 4 * * *', { isPaused: true }))).toBe('paused')
    await expect(run(await putSchedule('0 4 * *'))).rejects.toMatchObject({
      code: 'SCHEDULE_INVALID',
    })
    expect(sent).toEqual([])
  })
})
