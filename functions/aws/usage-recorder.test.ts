import { expect, test } from 'vitest'
import { createUsageMeter } from '../../shared/platform/aws/usage-meter.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import type { UsageRecord } from '../../shared/records/usage.ts'
import { computeTimeUsage, type ProcessSize, readProcessSize } from './process-size.ts'
import { createUsageRecorder } from './usage-recorder.ts'

const [first, second] = ['a/b/c:1', 'a/b/c:2'] as DeploymentId[] as [DeploymentId, DeploymentId]

/** Opens a recorder with a clock that the test moves, over a store in memory. */
function openRecorder(size: ProcessSize, failsFirst = false) {
  const stored = new Map<string, UsageRecord>()
  const lines: string[] = []
  let fails = failsFirst
  let nowMs = 2_000
  let runs = 0
  let tick: () => void = () => undefined
  const meter = createUsageMeter()
  const recorder = createUsageRecorder({
    usage: {
      put: async (deployment, record) => {
        if (fails) {
          fails = false
          throw new Error('refused')
        }
        stored.set(`${deployment} ${record.run}`, record)
      },
    },
    meter,
    clock: {
      monotonicMs: () => nowMs,
      repeat: (_, callback) => {
        tick = callback
        return () => {
          tick = () => undefined
        }
      },
    },
    random: { uuid: () => `run${(runs += 1)}` },
    logger: { write: (_, event) => void lines.push(event) },
    part: 'generator',
    size,
  })
  return {
    recorder,
    meter,
    stored,
    lines,
    tick: () => tick(),
    advance: (ms: number) => {
      nowMs += ms
    },
  }
}

const oneGb: ProcessSize = { kind: 'function', memoryGb: 1 }

test('a call records its requests, its messages, its own write and its time since the start', async () => {
  const { recorder, meter, stored, advance } = openRecorder(oneGb)
  meter.add({ readUnits: 7 })
  await recorder.measure(async () => {
    recorder.assign(first)
    meter.add({ writeUnits: 3 })
    advance(1_000)
  })
  // The environment started two seconds before its first call, and Lambda bills this time.
  expect(stored.get(`${first} run1`)?.counts).toMatchObject({
    writeUnits: 4,
    readUnits: 0,
    // Lambda receives and removes the message of the call.
    messages: 2,
    calls: 1,
    gbSeconds: 3,
  })
  await recorder.measure(async () => {
    recorder.assign(first)
    advance(500)
  })
  expect(stored.get(`${first} run2`)?.counts).toMatchObject({ writeUnits: 1, gbSeconds: 0.5 })
})

test('a running call stores its usage each minute, and its end replaces this usage', async () => {
  const { recorder, meter, stored, tick, advance } = openRecorder(oneGb)
  await recorder.measure(async () => {
    recorder.assign(first)
    meter.add({ writeUnits: 1 })
    tick()
    await Promise.resolve()
    expect(stored.get(`${first} run1`)?.counts.writeUnits).toBe(2)
    meter.add({ writeUnits: 1 })
    advance(60_000)
  })
  expect([...stored.values()].map(({ counts }) => counts.writeUnits)).toEqual([3])
})

test('a call for two deployments gives each of them half, and one without a deployment none', async () => {
  const { recorder, meter, stored } = openRecorder(oneGb)
  await recorder.measure(async () => {
    for (const deployment of [first, second, first]) recorder.assign(deployment)
    meter.add({ puts: 3 })
  })
  expect([...stored.values()].map(({ counts }) => counts.puts)).toEqual([1.5, 1.5])
  recorder.assign(second)
  await recorder.measure(async () => meter.add({ puts: 3 }))
  expect(stored.size).toBe(2)
})

test('a usage that cannot be stored is logged, and the result of the call is unchanged', async () => {
  const { recorder, stored, lines } = openRecorder(oneGb, true)
  const result = recorder.measure(async () => {
    recorder.assign(first)
    throw new Error('the call failed')
  })
  await expect(result).rejects.toThrow('the call failed')
  expect([lines, stored.size]).toEqual([['usage.unsaved'], 0])
})

test('the size of a process is that of its function, or of its task', () => {
  expect(readProcessSize({ AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512' })).toEqual({
    kind: 'function',
    memoryGb: 0.5,
  })
  const task = readProcessSize({ ANTICHAIN_TASK_CPU: '2048', ANTICHAIN_TASK_MB: '4096' })
  expect(task).toEqual({ kind: 'task', cpus: 2, memoryGb: 4 })
  expect(computeTimeUsage(task, 1_800_000)).toEqual({ taskCpuHours: 1, taskGbHours: 2 })
})
