import { afterEach, expect, test } from 'vitest'
import { readState } from '../../shared/runtime/compaction/fold-and-publish.ts'
import { serveStacks } from '../../local/serve-stacks.ts'
import { createGeneratorPorts } from '../../local/local-engine.ts'
import { createError } from '../../shared/errors/error.ts'
import { removeOldRecords } from '../../shared/engine/deployment/retention/remove-old-records.ts'
import type { LogNumber, WriterToken } from '../../shared/records/ids.ts'
import { type Holder, rulesVersion } from '../../shared/records/log.ts'
import { createCloud } from './cloud.ts'
import type { TestEngine } from './engine.ts'
import { firstProgram, secondProgram } from './resume.ts'
import { createEngines, getTestStack } from './register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const refusalPattern = new RegExp(
  `started by a newer antichain: it follows rules ${rulesVersion + 1}, this version supports rules up to ${rulesVersion}`,
)

/** Opens an engine whose last deployment was begun by a newer version, which died. */
async function openStackOfNewerVersion(): Promise<TestEngine> {
  const engine = await engines.open(createCloud())
  await engine.run(firstProgram)
  const { platform } = engine
  const { id, version, snapshot } = await getTestStack(platform)
  const at = platform.clock.now()
  const holder: Holder = {
    ...createGeneratorPorts(platform).holder,
    // Linux has no process ids above 2 ** 22, so this process is dead.
    pid: 2 ** 22 + 1,
    started: 'long ago',
  }
  const startInput = { command: 'up', message: '', at } as const
  const { deployment } = await platform.catalog.start(id, startInput)
  await platform.control.create(deployment, holder)
  const writer = 'the newer one' as WriterToken
  const records = await platform.decisionLog.read(`${id}/1` as typeof deployment, 0 as LogNumber, 9)
  const pin = records.flatMap(({ decisions }) => decisions).find(({ kind }) => kind === 'pin')
  if (pin?.kind !== 'pin') throw new Error('the first deployment has no pin')
  const newerPin = { ...pin, version, base: snapshot, rules: rulesVersion + 1 }
  const takeover = { kind: 'takeover', holder } as const
  for (const [number, decision] of [takeover, newerPin].entries())
    await platform.decisionLog.append(deployment, {
      number: number as LogNumber,
      writer,
      at,
      decisions: [decision],
    })
  return engine
}

/** Returns the records of the last deployment, which a refusal must leave unchanged. */
async function recordsOf({ platform }: TestEngine): Promise<unknown> {
  const stack = await getTestStack(platform)
  const { current } = stack
  if (current === '') throw new Error('no deployment was left')
  return {
    stack,
    log: await platform.decisionLog.read(current, 0 as LogNumber, 9),
    control: await platform.control.read(current),
    leases: await platform.leases.list(current),
  }
}

test('up, a resume, a read of the state and a serving process refuse a deployment of a newer version and leave it unchanged', async () => {
  const engine = await openStackOfNewerVersion()
  const { platform } = engine
  const before = await recordsOf(engine)
  const refused = { code: 'RECORD_TOO_NEW', message: expect.stringMatching(refusalPattern) }
  await expect(engine.run(secondProgram, { resume: true })).rejects.toMatchObject(refused)
  await expect(engine.run(secondProgram)).rejects.toMatchObject(refused)
  await expect(readState(platform, await getTestStack(platform))).rejects.toMatchObject(refused)
  const shutdown = new AbortController()
  const lines: string[] = []
  await serveStacks(
    { platform, ports: createGeneratorPorts(platform) },
    {
      roles: new Set(['generator', 'executor']),
      functionLimitMs: undefined,
      shutdown: shutdown.signal,
      requestOf: () => Promise.reject(new Error('no request must be served')),
      resume: () => Promise.reject(new Error('no deployment must be resumed')),
      onMessage(line) {
        lines.push(line)
        shutdown.abort()
      },
    },
  )
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(refusalPattern)
  expect(await recordsOf(engine)).toEqual(before)
})

test('records of a newer version are not removed', async () => {
  const engine = await openStackOfNewerVersion()
  const { platform } = engine
  const { current, id } = await getTestStack(platform)
  if (current === '') throw new Error('no deployment was left')
  await platform.control.close(current)
  const end = { at: platform.clock.now(), result: 'failed', changes: {}, version: 1 } as const
  await platform.catalog.release(current, end)
  const removed = await removeOldRecords(
    { ...platform, isAlive: () => false },
    {
      policy: { recordsKeptMs: 0, versionsKept: undefined },
      stack: id,
      deploymentsMax: 9,
      dryRun: false,
    },
  )
  expect(removed.deployments).not.toContain(current)
  expect(await platform.decisionLog.read(current, 0 as LogNumber, 9)).toHaveLength(2)
})

test('a serving process survives unreadable records and a temporary failure of the store', async () => {
  // The first check fails. The other three find the same damaged record, which is reported once.
  const [failingCheck, lastCheck] = [1, 4]
  const engine = await openStackOfNewerVersion()
  const { platform } = engine
  const shutdown = new AbortController()
  const lines: string[] = []
  let listCalls = 0
  const disturbed: typeof platform = {
    ...platform,
    catalog: {
      ...platform.catalog,
      async listStacks() {
        listCalls += 1
        if (listCalls === failingCheck)
          throw createError('STORE_UNAVAILABLE', 'the store is temporarily unavailable')
        if (listCalls === lastCheck) shutdown.abort()
        return platform.catalog.listStacks()
      },
    },
    control: {
      ...platform.control,
      read: () => Promise.reject(createError('RECORD_DAMAGED', 'the control record is damaged')),
    },
  }
  await serveStacks(
    {
      platform: disturbed,
      ports: { ...createGeneratorPorts(platform), control: disturbed.control },
    },
    {
      roles: new Set(['generator', 'executor']),
      functionLimitMs: undefined,
      shutdown: shutdown.signal,
      requestOf: () => Promise.reject(new Error('no request must be served')),
      resume: () => Promise.reject(new Error('no deployment must be resumed')),
      onMessage: line => lines.push(line),
    },
  )
  expect(listCalls).toBe(lastCheck)
  expect(lines).toEqual([expect.stringContaining('the control record is damaged')])
})
