/** Edits of states that generators take from the queue of a stack. */
import { afterEach, describe, expect, test } from 'vitest'
import { limits } from '../../shared/config/limits.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/read-snapshot-blob.ts'
import { createError } from '../../shared/errors/error.ts'
import { stackIdOf } from '../../shared/records/ids.ts'
import { readDeploymentTimeline } from '../../shared/runtime/state/state-at-time.ts'
import { envelopeOf } from '../../shared/state/snapshot-codec.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { createCloud } from './cloud.ts'
import { createThings, getTestStack } from './register-thing.ts'
import { openFunctions, type TestFunctions } from './test-functions.ts'
import { ProcessKilledError } from './test-process.ts'

let functions: TestFunctions | undefined

afterEach(async () => {
  await functions?.close()
  functions = undefined
})

/** Opens functions with a deployed stack of two things. */
async function openDeployed(): Promise<TestFunctions> {
  functions = await openFunctions(createCloud(), createThings({ a: { v: 1 }, b: { v: 1 } }))
  await functions.requestDeployment('up')
  functions.nudges.push({ stack: functions.stack, delayMs: 0 })
  await functions.runToIdle()
  return functions
}

const readNames = async ({ readState }: TestFunctions): Promise<readonly string[]> =>
  ((await readState()).resources ?? []).map(({ urn }) => urn.split('::').at(-1) ?? '')

async function findUrn({ readState }: TestFunctions, name: string): Promise<string> {
  const urns = ((await readState()).resources ?? []).map(({ urn }) => urn)
  return urns.find(urn => urn.endsWith(`::${name}`)) ?? ''
}

const readEnd = async ({ platform, stack }: TestFunctions, key: string) =>
  (await platform.requests.find(stack, key))?.end

test('an edit is published once, and its end has the version, the count and the notices', async () => {
  const functions = await openDeployed()
  const { version } = await getTestStack(functions.platform)
  await functions.requestEdit('k', {
    kind: 'rename',
    urn: await findUrn(functions, 'b'),
    name: 'c',
  })
  expect(await functions.runGenerator()).toBe('ended')
  expect(await readNames(functions)).toEqual(expect.arrayContaining(['a', 'c']))
  expect(await readEnd(functions, 'k')).toEqual({
    kind: 'started',
    deployment: `${functions.stack}/2`,
    edit: { version: version + 1, count: 1, notices: [] },
  })
  const [record] = await functions.platform.catalog.listHistory(functions.stack, 1)
  expect(record).toMatchObject({ command: 'state', by: 'a test', result: 'succeeded' })
  expect(record?.version).toBe(version + 1)
  expect(await functions.runGenerator()).toBe('idle')
  expect(await getTestStack(functions.platform)).toMatchObject({ current: '', deployments: 2 })
})

test('an edit with an error is refused with its code, without a deployment', async () => {
  const functions = await openDeployed()
  await functions.requestEdit('k', {
    kind: 'rename',
    urn: await findUrn(functions, 'b'),
    name: 'a',
  })
  expect(await functions.runGenerator()).toBe('refused')
  expect(await readEnd(functions, 'k')).toMatchObject({
    kind: 'refused',
    code: 'STATE_RESOURCE_EXISTS',
  })
  expect(await getTestStack(functions.platform)).toMatchObject({ deployments: 1, version: 1 })
})

test('an edit that no user has requested is refused, and changes nothing', async () => {
  const functions = await openDeployed()
  await functions.requestEdit('k', {
    kind: 'rename',
    urn: await findUrn(functions, 'b'),
    name: 'c',
  })
  expect(await functions.runGenerator({}, { isUnapproved: true })).toBe('refused')
  expect(await readEnd(functions, 'k')).toMatchObject({
    kind: 'refused',
    code: 'REQUEST_UNAPPROVED',
  })
  expect(await getTestStack(functions.platform)).toMatchObject({ deployments: 1, version: 1 })
})

test('an edit that waited too long is refused', async () => {
  const functions = await openDeployed()
  const edit = { kind: 'rename', urn: await findUrn(functions, 'b'), name: 'c' } as const
  await functions.requestEdit('old', edit, limits.editWaitMs + 1_000)
  expect(await functions.runGenerator()).toBe('refused')
  expect(await readEnd(functions, 'old')).toMatchObject({
    kind: 'refused',
    code: 'REQUEST_EXPIRED',
  })
  expect(await readNames(functions)).toContain('b')
})

test('a withdrawn edit changes nothing, even when it is withdrawn while it runs', async () => {
  const functions = await openDeployed()
  await functions.requestEdit('k', {
    kind: 'rename',
    urn: await findUrn(functions, 'b'),
    name: 'c',
  })
  const { find, end } = functions.platform.requests
  const withdrawal = { kind: 'refused', code: 'DEPLOYMENT_CANCELLED', message: '' } as const
  Object.assign(functions.platform.requests, {
    end: async (...[stack, key, started]: Parameters<typeof end>) => {
      await end(stack, key, withdrawal)
      return end(stack, key, started)
    },
  })
  await functions.runGenerator()
  Object.assign(functions.platform.requests, { find, end })
  expect(await readEnd(functions, 'k')).toEqual(withdrawal)
  expect(await readNames(functions)).toContain('b')
  expect(await getTestStack(functions.platform)).toMatchObject({ current: '', version: 1 })
})

test('deployments of a stack with an invalid state are refused until the state is repaired', async () => {
  const functions = await openDeployed()
  const { resources = [], ...fields } = await functions.readState()
  const broken: StoredDeployment = { ...fields, resources: resources.toReversed() }
  const blob = await functions.platform.blobs.put(
    Buffer.from(JSON.stringify(await envelopeOf(broken))),
  )
  await functions.platform.catalog.publish(functions.stack, 1, blob)
  await functions.requestDeployment('again')
  await functions.runGenerator()
  expect(await readEnd(functions, 'again')).toMatchObject({
    kind: 'refused',
    code: 'STATE_INTEGRITY',
  })
  await functions.requestEdit('k', { kind: 'repair' })
  expect(await functions.runGenerator()).toBe('ended')
  await functions.requestDeployment('third')
  functions.nudges.push({ stack: functions.stack, delayMs: 0 })
  await functions.runToIdle()
  expect(await readEnd(functions, 'third')).toMatchObject({ kind: 'started' })
})

test('a forced import replaces a damaged state, but not with the archive of another stack', async () => {
  const functions = await openDeployed()
  const bytes = Buffer.from(JSON.stringify(await envelopeOf(await functions.readState())))
  const state = await functions.platform.archives.put(functions.stack, bytes)
  const foreign = await functions.platform.archives.put(stackIdOf('engine', 'other'), bytes)
  await functions.platform.catalog.publish(functions.stack, 1, 'f'.repeat(64) as typeof state)
  await functions.requestEdit('foreign', { kind: 'import', state: foreign, force: true })
  await functions.requestEdit('careful', { kind: 'import', state, force: false })
  await functions.requestEdit('forced', { kind: 'import', state, force: true })
  await functions.runGenerator()
  expect(await readEnd(functions, 'foreign')).toMatchObject({
    kind: 'refused',
    code: 'STATE_INVALID',
  })
  expect(await readEnd(functions, 'careful')).toMatchObject({
    kind: 'refused',
    code: 'STATE_INVALID',
  })
  expect(await readEnd(functions, 'forced')).toMatchObject({ kind: 'started' })
  expect(await readNames(functions)).toContain('a')
})

test('an import reports an operation once if it is pending both in the state and in the file', async () => {
  const functions = await openDeployed()
  const { platform, stack } = functions
  const state = await functions.readState()
  const [resource] = (state.resources ?? []).slice(-1)
  if (resource === undefined) throw new Error('the stack has no resources')
  const { urn } = resource
  const pending = { ...state, pending_operations: [{ resource, type: 'updating' }] }
  const bytes = Buffer.from(JSON.stringify(await envelopeOf(pending)))
  await platform.catalog.publish(stack, 1, await platform.blobs.put(bytes))
  await functions.requestEdit('earlier', { kind: 'repair' })
  const file = await platform.archives.put(stack, bytes)
  await functions.requestEdit('import', { kind: 'import', state: file, force: false })
  await functions.runGenerator()
  expect(await readEnd(functions, 'import')).toMatchObject({ deployment: `${stack}/3` })
  const stackRecord = await getTestStack(platform)
  const ports = platform as Parameters<typeof readDeploymentTimeline>[0]
  const { resolved } = await readDeploymentTimeline(ports, stackRecord, 3)
  expect(resolved).toEqual([{ urn, type: 'updating' }])
})

describe('a rename of the stack', () => {
  const to = stackIdOf('engine', 'renamed')

  test('moves the stack, and its request ends under the old name', async () => {
    const functions = await openDeployed()
    await functions.requestEdit('k', { kind: 'rename stack', to, placements: {} })
    expect(await functions.runGenerator()).toBe('ended')
    expect(await readEnd(functions, 'k')).toEqual({ kind: 'renamed', to })
    const record = await functions.platform.catalog.getStack(to)
    const { resources = [] } = await readSnapshotBlob(
      functions.platform.blobs,
      record?.snapshot ?? '',
    )
    expect(resources.every(({ urn }) => urn.startsWith('urn:pulumi:renamed::engine::'))).toBe(true)
    expect(resources.length).toBeGreaterThan(2)
    expect(await functions.platform.catalog.getStack(functions.stack)).toBeUndefined()
  })

  test('to an existing name is refused', async () => {
    const functions = await openDeployed()
    await functions.platform.catalog.createStack(to, functions.platform.clock.now())
    await functions.requestEdit('k', { kind: 'rename stack', to, placements: {} })
    expect(await functions.runGenerator()).toBe('refused')
    expect(await readEnd(functions, 'k')).toMatchObject({ kind: 'refused', code: 'STACK_EXISTS' })
    expect(await functions.platform.catalog.getStack(functions.stack)).toMatchObject({ version: 1 })
  })
})

describe('a deployment that cannot continue', () => {
  const noProgram = { onReopening: () => Promise.reject(new Error('the archive is gone')) }

  /** Leaves a deployment whose generator died, and whose program cannot be opened any more. */
  async function openDead(stop: 'graceful' | 'forced'): Promise<TestFunctions> {
    const functions = await openDeployed()
    await functions.requestDeployment('dead')
    const kill = { effect: 1, call: 'decisionLog.append pin', when: 'after' } as const
    await expect(functions.runGenerator({}, { kill })).rejects.toThrow(ProcessKilledError)
    const { current } = await getTestStack(functions.platform)
    functions.nudges.splice(0)
    await functions.runGenerator({}, noProgram)
    const nudge = functions.nudges.shift()
    await expect(functions.runGenerator(nudge, noProgram)).rejects.toThrow('the archive is gone')
    if (current !== '') await functions.platform.control.stop(current, stop)
    functions.nudges.push(nudge ?? { stack: functions.stack, delayMs: 0 })
    return functions
  }

  test('is closed without its program after a cancel, and edits run again', async () => {
    const functions = await openDead('graceful')
    expect(await functions.runToIdle(noProgram)).toContain('ended')
    const [record] = await functions.platform.catalog.listHistory(functions.stack, 1)
    expect(record).toMatchObject({ result: 'cancelled' })
    await functions.requestEdit('k', {
      kind: 'rename',
      urn: await findUrn(functions, 'b'),
      name: 'c',
    })
    expect(await functions.runGenerator()).toBe('ended')
    expect(await readNames(functions)).toContain('c')
  })

  test('is abandoned after a forced cancel if its records are unreadable', async () => {
    const functions = await openDead('forced')
    const { version } = await getTestStack(functions.platform)
    const unreadable = {
      onLogRead: () => Promise.reject(createError('RECORD_DAMAGED', 'it is damaged')),
    }
    expect(await functions.runToIdle({ ...noProgram, ...unreadable })).toContain('ended')
    expect(await getTestStack(functions.platform)).toMatchObject({ current: '', version })
  })
})

describe('a generator that dies during an edit', () => {
  test.each([
    ['catalog.start', 'after', 'c'],
    ['control.create', 'after', 'c'],
    ['blobs.put', 'after', 'c'],
    ['catalog.publish', 'before', 'b'],
    ['catalog.publish', 'after', 'c'],
    ['control.close', 'after', 'c'],
    ['catalog.release', 'after', 'c'],
  ] as const)(
    'at %s (%s the call) leaves the stack free, with a resource named %s',
    async (call, when, name) => {
      const functions = await openDeployed()
      await functions.requestEdit('k', {
        kind: 'rename',
        urn: await findUrn(functions, 'b'),
        name: 'c',
      })
      const kill = { effect: 1, call, when } as const
      await expect(functions.runGenerator({}, { kill })).rejects.toThrow(ProcessKilledError)
      functions.nudges.push({ stack: functions.stack, delayMs: 0 })
      await functions.runToIdle()
      const record = await getTestStack(functions.platform)
      expect(record).toMatchObject({ current: '', version: name === 'c' ? 2 : 1 })
      expect(await readNames(functions)).toEqual(expect.arrayContaining(['a', name]))
      const end = await readEnd(functions, 'k')
      expect(end).toMatchObject({ kind: 'started', edit: { version: 2 } })
      // The sender compares the version of the deployment with that of the edit.
      const history = await functions.platform.catalog.listHistory(functions.stack, 10)
      const editRecord = history.find(
        ({ deployment }) => end?.kind === 'started' && deployment === end.deployment,
      )
      expect([editRecord?.result !== undefined, editRecord?.version]).toEqual([
        true,
        record.version,
      ])
    },
  )
})
