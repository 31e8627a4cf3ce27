/** An environment of the local cloud behaves like one of Lambda. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Environment, startEnvironment } from '../../infra/local-cloud/environment.ts'
import { computeCallsMax, parseFailures } from '../../infra/local-cloud/sqs-event-source.ts'
import { localCloudLimits } from '../../shared/config/local-cloud-limits.ts'
import {
  startSupervisor,
  type Supervisor,
} from '../../shared/platform/system/process-supervisor.ts'
import { waitUntil } from '../e2e/sandbox.ts'

const handlers = `
import { spawn } from 'node:child_process'
let count = 0
let ticks = 0
export const handler = async (event, context) => {
  count += 1
  if (event.do === 'throw') throw new TypeError('wrong')
  if (event.do === 'hang') await new Promise(() => setInterval(() => {}, 1000))
  if (event.do === 'exit') process.exit(3)
  if (event.do === 'tick') setInterval(() => { ticks += 1 }, 5)
  if (event.do === 'fill') return 'x'.repeat(event.bytes)
  if (event.do === 'child') return spawn('sleep', ['1000'], { stdio: 'ignore' }).pid
  return { count, ticks, left: context.getRemainingTimeInMillis(), name: context.functionName,
    id: context.awsRequestId, env: Object.keys(process.env), home: process.env.HOME }
}
`

let root: string
let supervisor: Supervisor
let environment: Environment

async function start(code = handlers): Promise<Environment> {
  mkdirSync(join(root, 'code'), { recursive: true })
  writeFileSync(join(root, 'code', 'main.mjs'), code)
  return startEnvironment({
    name: 'test-function',
    arn: 'arn:aws:lambda:us-east-1:000000000000:function:test-function',
    bundleFolder: join(root, 'code'),
    folder: join(root, 'environment'),
    memoryMb: 512,
    variables: { PLACE: 'here' },
    supervisor,
    onLine: () => undefined,
  })
}

async function invoke(event: object, limitMs = 20_000): Promise<Record<string, unknown>> {
  const outcome = await environment.invoke(event, limitMs)
  if (outcome.kind !== 'answered') throw new Error(outcome.reason)
  return JSON.parse(outcome.json) as Record<string, unknown>
}

describe('an environment', () => {
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'antichain-environment-'))
    supervisor = startSupervisor()
    environment = await start()
  })
  afterEach(async () => {
    environment.kill('the test is over')
    await environment.endReason
    await supervisor.close()
    rmSync(root, { recursive: true, force: true })
  })

  test('handles successive calls in the same process', async () => {
    expect(await invoke({})).toMatchObject({ count: 1, name: 'test-function' })
    const second = await invoke({}, 5_000)
    expect(second['count']).toBe(2)
    expect(second['left']).toBeGreaterThan(4_000)
    expect(second['left']).toBeLessThanOrEqual(5_000)
    expect(second['home']).toBe(join(root, 'environment', 'home'))
  })

  test('receives its own variables, and none of the test process', async () => {
    const names = (await invoke({}))['env'] as readonly string[]
    expect(names).toContain('PLACE')
    expect(names.filter(name => /^(VITEST|NODE_|PATH$|npm_)/.test(name))).toEqual([])
  })

  test('reports an error of its handler, and survives it', async () => {
    const outcome = await environment.invoke({ do: 'throw' }, 5_000)
    expect(outcome).toEqual({ kind: 'failed', reason: 'TypeError: wrong' })
    expect(await invoke({})).toMatchObject({ count: 2 })
  })

  test('fails a call whose event or response exceeds the limit of Lambda, and survives it', async () => {
    // A string has two quotes as JSON.
    const bytes = localCloudLimits.payloadBytesMax - 2
    expect(await environment.invoke({ do: 'fill', bytes }, 20_000)).toMatchObject({
      kind: 'answered',
    })
    expect(await environment.invoke({ do: 'fill', bytes: bytes + 1 }, 20_000)).toEqual({
      kind: 'failed',
      reason: `Function.ResponseSizeTooLarge: the response exceeds ${localCloudLimits.payloadBytesMax} bytes`,
    })
    expect(await environment.invoke({ text: 'x'.repeat(bytes) }, 20_000)).toEqual({
      kind: 'failed',
      reason: `RequestEntityTooLarge: the event exceeds ${localCloudLimits.payloadBytesMax} bytes`,
    })
    expect(await invoke({})).toMatchObject({ count: 3 })
  })

  test('is suspended between two calls', async () => {
    await invoke({ do: 'tick' })
    await waitUntil(() => stateOf(environment.pid) === 'T', { condition: 'a stopped process' })
    await new Promise(done => setTimeout(done, 300))
    expect((await invoke({}))['ticks']).toBeLessThan(20)
  })

  test('is killed at its time limit with its child processes, and leaves no folder', async () => {
    const pid = Number(await invoke({ do: 'child' }))
    const outcome = await environment.invoke({ do: 'hang' }, 300)
    expect(outcome).toEqual({ kind: 'died', reason: 'exceeded its time limit of 300 ms' })
    expect(await environment.endReason).toBe('exceeded its time limit of 300 ms')
    await waitUntil(() => !existsSync(`/proc/${pid}`), { condition: 'the end of its child' })
    expect(existsSync(join(root, 'environment'))).toBe(false)
  })

  test('that exits during a call fails the call with its exit code', async () => {
    const outcome = await environment.invoke({ do: 'exit' }, 5_000)
    expect(outcome).toEqual({ kind: 'died', reason: 'exited with 3' })
  })

  test('that cannot be loaded reports the reason', async () => {
    environment.kill('not this one')
    await environment.endReason
    environment = await start("throw new Error('no such table')")
    const outcome = await environment.invoke({}, 5_000)
    expect(outcome).toEqual({ kind: 'died', reason: 'failed to load: Error: no such table' })
  })
})

describe('the response to a batch of messages', () => {
  const messages = [{ MessageId: 'a' }, { MessageId: 'b' }]
  test.each([
    ['null', []],
    ['{}', []],
    ['{"batchItemFailures":null}', []],
    ['{"batchItemFailures":[{"itemIdentifier":"b"}]}', ['b']],
    ['{"batchItemFailures":[{"itemIdentifier":"stranger"}]}', ['a', 'b']],
    ['{"batchItemFailures":[{}]}', ['a', 'b']],
    ['"done"', ['a', 'b']],
    ['{', ['a', 'b']],
  ])('%s leaves %j to be delivered again', (json, failed) => {
    expect([...parseFailures(json, messages)]).toEqual(failed)
  })
})

test('an event source begins with five concurrent calls and adds five per second', () => {
  expect([0, 999, 1_000, 60_000].map(computeCallsMax)).toEqual([5, 9, 10, 305])
})

function stateOf(pid: number): string {
  return readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .slice(0, 1)
}
