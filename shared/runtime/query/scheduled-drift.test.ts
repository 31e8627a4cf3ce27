import { expect, test } from 'vitest'
import type { StoredDocument } from '../../ports/documents.ts'
import type { EpochMs, StackId } from '../../records/ids.ts'
import type { RequestRecord } from '../../records/stack-request.ts'
import { scheduleDocument } from '../../triggers/schedules/due-schedule.ts'
import { createScheduleRequest } from '../../triggers/trigger-requests.ts'
import { findLastRead } from './find-last-read.ts'
import { readRunsOfSchedule } from './scheduled-drift.ts'

const stack = 'organization/shop/dev' as StackId
const value = { when: '0 4 * * *', operation: { kind: 'refresh' }, createdAt: 0 }
const schedule = scheduleDocument.parse(value)

const createDocument = (scope: StackId | '*', fields: object): StoredDocument => ({
  key: { kind: 'schedule', scope, name: 'nightly' },
  version: 1,
  value: { ...value, ...fields },
})

/** Creates ports with the runs of a schedule at some times. The run at 3 has failed. */
function createPorts(documents: readonly StoredDocument[], isShared: boolean) {
  const records = new Map<string, RequestRecord>()
  for (const due of [1, 2, 3] as EpochMs[]) {
    const context = { requestedAt: due, execute: 'functions' } as const
    const run = { stack, name: 'nightly', schedule, due, isShared }
    const request = createScheduleRequest(run, context)
    const result = due === 3 ? ('failed' as const) : ('succeeded' as const)
    const end = { kind: 'previewed', result, changes: { same: 4, update: 1 }, errors: [] } as const
    records.set(request.key, { request, end })
  }
  return {
    requests: { find: async (_: StackId, key: string) => records.get(key) },
    documents: {
      list: async (_kind: string, _cursor: string, scope?: string) => ({
        documents: documents.filter(({ key }) => key.scope === scope),
        unreadable: [],
        next: undefined,
      }),
    },
  }
}

test.each([
  [stack, { recentRuns: [1, 2, 3] }, [1, 2, 3]],
  ['*', { recentRuns: [2, 3, 7] }, [2, 3]],
  [stack, {}, []],
  [stack, { recentRuns: 'all' }, []],
] as const)(
  'readRunsOfSchedule reads the recorded runs of a schedule of %s: %j',
  async (...row) => {
    const [scope, fields, expected] = row
    const stored = createDocument(scope, fields)
    const dueTimes: number[] = []
    for await (const run of readRunsOfSchedule(createPorts([], scope === '*'), stack, stored))
      dueTimes.push(run.dueAt)
    expect(dueTimes).toEqual(expected)
  },
)

const historyOf = (command: string, startedAt: number, endedAt: number | undefined) => ({
  deployment: `${stack}#1`,
  command,
  result: 'succeeded',
  startedAt,
  ...(endedAt === undefined ? {} : { endedAt }),
})
test.each([
  ['is the newest successful run of a schedule', undefined, {}, 2],
  ['counts until a later deployment', historyOf('up', 5, 6), {}, undefined],
  ['counts after an earlier deployment', historyOf('up', 0, 1), {}, 2],
  ['is unknown while a deployment runs', historyOf('up', 0, undefined), {}, undefined],
  ['may be a later refresh', historyOf('refresh', 5, 6), {}, 5],
  ['may be an update that refreshed first', historyOf('up', 5, 6), { refresh: true }, 5],
  ['is no refresh with targets', historyOf('refresh', 5, 6), { targeting: {} }, undefined],
])('the last read of a stack %s', async (_, newest, options, expected) => {
  const stored = createDocument('*', { recentRuns: [1, 2, 3] })
  const pin = { kind: 'pin', options: { refresh: false, ...options } }
  const ports = {
    ...createPorts([stored], true),
    catalog: { listHistory: async () => (newest === undefined ? [] : [newest]) },
    decisionLog: { read: async () => [{ decisions: [pin] }] },
  } as unknown as Parameters<typeof findLastRead>[0]
  expect(await findLastRead(ports, stack)).toBe(expected)
})
