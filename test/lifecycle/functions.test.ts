import { afterEach, expect, test, vi } from 'vitest'
import { createCloud } from './cloud.ts'
import { openFunctions, type TestFunctions } from './test-functions.ts'
import { ProcessKilledError } from './test-process.ts'
import { getTestStack, createThings } from './register-thing.ts'

let functions: TestFunctions | undefined

afterEach(async () => {
  vi.restoreAllMocks()
  await functions?.close()
  functions = undefined
})

const threeThings = createThings({ a: { v: 1 }, b: { v: 1 }, c: { v: 1 } })

async function openScene(program = threeThings, delayMs = 0): Promise<TestFunctions> {
  functions = await openFunctions(createCloud(delayMs), program)
  return functions
}

const readNames = async ({ readState }: TestFunctions): Promise<readonly string[]> =>
  ((await readState()).resources ?? []).map(({ urn }) => urn.split('::').at(-1) ?? '')

test('functions that know only their messages turn a request into one deployment', async () => {
  const functions = await openScene()
  const { nudges, stack, platform, cloud } = functions
  await functions.requestDeployment('k')
  nudges.push({ stack, delayMs: 0 })
  expect(await functions.runToIdle()).toContain('ended')
  expect(await readNames(functions)).toEqual(expect.arrayContaining(['a', 'b', 'c']))
  expect(cloud.mutatingCalls.toSorted()).toEqual(['create a', 'create b', 'create c'])
  const storedRequest = await platform.requests.find(stack, 'k')
  expect(storedRequest?.end).toEqual({ kind: 'started', deployment: `${stack}/1` })
  // A repeated request and a repeated nudge have no effect.
  expect(await functions.requestDeployment('k')).toBe(true)
  expect(await functions.runGenerator()).toBe('idle')
  expect(cloud.mutatingCalls).toHaveLength(3)
})

test('a request that cannot be opened is refused with the reason, and the next one is served', async () => {
  const functions = await openScene()
  // The functions cannot open the program of a request whose key begins with 'bad'.
  for (const key of ['bad', 'good']) await functions.requestDeployment(key)
  functions.nudges.push({ stack: functions.stack, delayMs: 0 })
  expect(await functions.runToIdle()).toContain('ended')
  const bad = await functions.platform.requests.find(functions.stack, 'bad')
  expect(bad?.end).toEqual({
    kind: 'refused',
    code: 'PROJECT_INVALID',
    message: 'the program cannot be decrypted',
  })
  expect(await readNames(functions)).toContain('a')
})

test('a request that no user has approved is refused, before its program is opened', async () => {
  const functions = await openScene()
  await functions.requestDeployment('k')
  const onOpening = vi.fn(async () => undefined)
  expect(await functions.runGenerator({}, { isUnapproved: true, onOpening })).toBe('refused')
  const { end } = (await functions.platform.requests.find(functions.stack, 'k')) ?? {}
  expect(end).toMatchObject({ kind: 'refused', code: 'REQUEST_UNAPPROVED' })
  expect(onOpening).not.toHaveBeenCalled()
})

test('a request that reached the queue of a removed stack is refused', async () => {
  const functions = await openScene()
  await functions.platform.catalog.removeStack(functions.stack)
  await functions.requestDeployment('up')
  await functions.requestEdit('edit', { kind: 'repair' })
  expect(await functions.runGenerator()).toBe('refused')
  for (const key of ['up', 'edit'])
    expect((await functions.platform.requests.find(functions.stack, key))?.end).toMatchObject({
      kind: 'refused',
      code: 'STACK_NOT_FOUND',
    })
  expect(await functions.runGenerator()).toBe('idle')
})

test('requests of one stack are served one after another', async () => {
  const functions = await openScene()
  await functions.requestDeployment('up')
  await functions.requestDeployment('down', { command: 'destroy' })
  functions.nudges.push({ stack: functions.stack, delayMs: 0 })
  const served = await functions.runToIdle()
  expect(served.filter(one => one === 'ended')).toHaveLength(2)
  expect(functions.cloud.objects.size).toBe(0)
  expect((await functions.readState()).resources ?? []).toEqual([])
})

test('a preview changes nothing, and its request stores the result', async () => {
  const functions = await openScene()
  await functions.requestPreview('p')
  expect(await functions.runGenerator()).toBe('ended')
  const storedRequest = await functions.platform.requests.find(functions.stack, 'p')
  expect(storedRequest?.end).toMatchObject({
    kind: 'previewed',
    result: 'succeeded',
    changes: { create: expect.any(Number) },
    errors: [],
  })
  expect(functions.cloud.mutatingCalls).toEqual([])
})

test('a request behind a preview is served even if its own nudge was used up earlier', async () => {
  const functions = await openScene()
  await functions.requestPreview('p')
  await functions.requestDeployment('k')
  functions.nudges.push({ stack: functions.stack, delayMs: 0 })
  expect((await functions.runToIdle()).filter(one => one === 'ended')).toHaveLength(2)
  expect(await readNames(functions)).toContain('a')
})

test('after a generator died, its watchdog nudge starts the next one', async () => {
  const functions = await openScene()
  await functions.requestDeployment('k')
  const kill = { effect: 1, call: 'decisionLog.append registration', when: 'after' } as const
  await expect(functions.runGenerator({}, { kill })).rejects.toThrow(ProcessKilledError)
  const [first] = functions.nudges.splice(0)
  expect(first).toEqual({ stack: functions.stack, delayMs: 90_000 })
  // No check observed the holder before, so it may be alive. The next check gets this observation.
  expect(await functions.runGenerator(first)).toBe('held')
  const [second] = functions.nudges.splice(0)
  expect(second?.observedHolder).toMatchObject({ renewals: expect.any(Number) })
  functions.nudges.push(second ?? { stack: functions.stack, delayMs: 0 })
  expect(await functions.runToIdle()).toContain('ended')
  expect(await readNames(functions)).toEqual(expect.arrayContaining(['a', 'b', 'c']))
  expect(functions.cloud.mutatingCalls.toSorted()).toEqual(['create a', 'create b', 'create c'])
  expect((await functions.platform.requests.find(functions.stack, 'k'))?.end?.kind).toBe('started')
})

test('a generator that cannot read the earlier events gives its lease up', async () => {
  const functions = await openScene()
  await functions.requestDeployment('k')
  const kill = { effect: 1, call: 'decisionLog.append registration', when: 'after' } as const
  await expect(functions.runGenerator({}, { kill })).rejects.toThrow(ProcessKilledError)
  const [first] = functions.nudges.splice(0)
  expect(await functions.runGenerator(first)).toBe('held')
  const [second] = functions.nudges.splice(0)
  const onEventsRead = () => Promise.reject(new Error('the events are unreadable'))
  await expect(functions.runGenerator(second, { onEventsRead })).rejects.toThrow('are unreadable')
  const leases = await functions.platform.leases.list(`${functions.stack}/1` as never)
  // The generator that was killed did not give its lease up.
  expect(leases.map(({ left }) => left)).toEqual(expect.arrayContaining([false, true]))
  expect(leases).toHaveLength(2)
})

test('a deployment that died before its control record existed is closed, and its request starts again', async () => {
  const functions = await openScene()
  await functions.requestDeployment('k')
  const kill = { effect: 1, call: 'catalog.start', when: 'after' } as const
  await expect(functions.runGenerator({}, { kill })).rejects.toThrow(ProcessKilledError)
  expect(await functions.runToIdle()).toContain('ended')
  expect(await readNames(functions)).toContain('c')
  const storedRequest = await functions.platform.requests.find(functions.stack, 'k')
  expect(storedRequest?.end).toEqual({ kind: 'started', deployment: `${functions.stack}/2` })
})

test('a request that was served while a slow generator opened it does not start again', async () => {
  const functions = await openScene()
  await functions.requestDeployment('k')
  const serveMeanwhile = async (): Promise<void> => {
    functions.nudges.push({ stack: functions.stack, delayMs: 0 })
    expect(await functions.runToIdle()).toContain('ended')
  }
  expect(await functions.runGenerator({}, { onOpening: serveMeanwhile })).toBe('held')
  const history = await functions.platform.catalog.listHistory(functions.stack, 10)
  expect(history.map(({ result }) => result)).toEqual(['succeeded'])
  expect(functions.cloud.mutatingCalls).toHaveLength(3)
})

test('generators with a short time limit follow each other, and report every step once', async () => {
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`t${index}`, { v: 1 }]))
  const functions = await openScene(createThings(many), 500)
  await functions.requestDeployment('k')
  functions.nudges.push({ stack: functions.stack, delayMs: 0 })
  const served = await functions.runToIdle({ limitMs: 3_000 })
  expect(served.filter(one => one === 'handed over').length).toBeGreaterThan(0)
  expect(served).toContain('ended')
  expect(functions.cloud.mutatingCalls).toHaveLength(12)
  const { events } = await functions.platform.events.read(`${functions.stack}/1` as never, 0, 1_000)
  const begun = events.filter(line => line.includes('resourcePreEvent') && line.includes('::t0"'))
  expect(begun).toHaveLength(1)
  const summary = events.map(line => JSON.parse(line)).find(event => 'summaryEvent' in event)
  expect(summary?.summaryEvent.resourceChanges.create).toBeGreaterThanOrEqual(12)
}, 240_000)

test('the installation of a program counts towards the time limit of its generator', async () => {
  const functions = await openScene(threeThings, 1_500)
  await functions.requestDeployment('k')
  functions.nudges.push({ stack: functions.stack, delayMs: 0 })
  const served = await functions.runToIdle({ limitMs: 60_000, onOpening: passTime(59_000) })
  vi.restoreAllMocks()
  // The whole limit would be enough for the deployment, and the rest of it is not.
  expect(['handed over', 'parked']).toContain(served[0])
  expect(served).toContain('ended')
  expect(functions.cloud.mutatingCalls).toHaveLength(3)
}, 120_000)

/** Returns an `onOpening` that moves the monotonic clock forward by `elapsedMs`. */
function passTime(elapsedMs: number): () => Promise<void> {
  const read = performance.now.bind(performance)
  return async () => {
    vi.spyOn(performance, 'now').mockImplementation(() => read() + elapsedMs)
  }
}

test('a preview beyond the time of its call runs again in the long pool, and has one result', async () => {
  const reached = Promise.withResolvers<void>()
  let runs = 0
  const functions = await openScene(async monitor => {
    runs += 1
    if (runs === 1) {
      reached.resolve()
      await new Promise(() => undefined)
    }
    await threeThings(monitor)
  })
  await functions.requestPreview('p')
  await functions.requestDeployment('k')
  expect(await functions.runGenerator({}, { limitMs: 2_000 })).toBe('passed on')
  await reached.promise
  // With a nudge of the short pool, the preview would reach its limit again and again.
  expect(functions.nudges.splice(0)).toEqual([{ stack: functions.stack, delayMs: 0, pool: 'long' }])
  expect((await functions.platform.requests.find(functions.stack, 'p'))?.end).toBe(undefined)
  expect(await functions.runGenerator({ pool: 'long' })).toBe('ended')
  const storedRequest = await functions.platform.requests.find(functions.stack, 'p')
  expect(storedRequest?.end).toMatchObject({ kind: 'previewed', result: 'succeeded', errors: [] })
  const { events } = await functions.platform.events.read(
    `${functions.stack}/preview:p` as never,
    0,
    1_000,
  )
  expect(events.filter(line => line.includes('summaryEvent'))).toHaveLength(1)
  // The deployment follows.
  expect(functions.nudges).toEqual([{ stack: functions.stack, delayMs: 0 }])
})

test('a preview in a process that must shut down is run by another task of the long pool', async () => {
  const functions = await openScene(() => new Promise(() => undefined))
  await functions.requestPreview('p')
  const shutdown = new AbortController()
  const onOpening = async () => void setTimeout(() => shutdown.abort(), 300)
  const options = { handOverSignal: shutdown.signal, onOpening }
  expect(await functions.runGenerator({ pool: 'long' }, options)).toBe('passed on')
  expect(functions.nudges).toEqual([{ stack: functions.stack, delayMs: 0, pool: 'long' }])
})

test('the installation of a program counts towards the time limit of its preview', async () => {
  const slowProgram: typeof threeThings = async monitor => {
    await new Promise(resolve => setTimeout(resolve, 4_000))
    await threeThings(monitor)
  }
  const functions = await openScene(slowProgram)
  await functions.requestPreview('p')
  const options = { limitMs: 60_000, onOpening: passTime(59_000) }
  expect(await functions.runGenerator({}, options)).toBe('passed on')
  vi.restoreAllMocks()
  expect(await functions.runGenerator({ pool: 'long' })).toBe('ended')
})

test('after a long installation that failed, another call begins the next request', async () => {
  const functions = await openScene()
  for (const key of ['bad', 'good']) await functions.requestDeployment(key)
  const options = { limitMs: 60_000, onOpening: passTime(10_000) }
  expect(await functions.runGenerator({}, options)).toBe('passed on')
  vi.restoreAllMocks()
  expect((await functions.platform.requests.find(functions.stack, 'good'))?.end).toBe(undefined)
  expect(functions.nudges).toEqual([{ stack: functions.stack, delayMs: 0, pool: 'short' }])
  expect(await functions.runToIdle()).toContain('ended')
  expect(await readNames(functions)).toContain('a')
})

test('a deployment that was stopped while no generator held it is closed', async () => {
  const functions = await openScene()
  await functions.requestDeployment('k')
  const kill = { effect: 1, call: 'decisionLog.append registration', when: 'after' } as const
  await expect(functions.runGenerator({}, { kill })).rejects.toThrow(ProcessKilledError)
  await functions.platform.control.stop(`${functions.stack}/1` as never, 'graceful')
  expect(await functions.runToIdle()).toContain('ended')
  const [record] = await functions.platform.catalog.listHistory(functions.stack, 1)
  expect(record?.result).toBe('cancelled')
  expect((await functions.platform.catalog.getStack(functions.stack))?.current).toBe('')
})

test('a generator run that takes over registers its lease before it checks the others', async () => {
  const functions = await openScene()
  await functions.requestDeployment('k')
  const firstKill = { effect: 1, call: 'decisionLog.append registration', when: 'after' } as const
  await expect(functions.runGenerator({}, { kill: firstKill })).rejects.toThrow(ProcessKilledError)
  await functions.runGenerator(functions.nudges.shift())
  const kill = { effect: 1, call: 'decisionLog.append takeover', when: 'before' } as const
  await expect(functions.runGenerator(functions.nudges.shift(), { kill })).rejects.toThrow(
    ProcessKilledError,
  )
  const leases = await functions.platform.leases.list(`${functions.stack}/1` as never)
  expect(leases.filter(({ executor }) => executor.startsWith('generator-'))).toHaveLength(2)
  expect(leases.every(({ retired }) => !retired)).toBe(true)
})

test('an environment of another stack does not serve a request, and passes the observation of a holder on', async () => {
  const functions = await openScene()
  await functions.requestDeployment('k')
  expect(await functions.runGenerator({}, { mayServe: false })).toBe('wrong environment')
  expect(functions.nudges).toEqual([])
  expect((await functions.platform.requests.find(functions.stack, 'k'))?.end).toBe(undefined)
  const kill = { effect: 1, call: 'decisionLog.append registration', when: 'after' } as const
  await expect(functions.runGenerator({}, { kill })).rejects.toThrow(ProcessKilledError)
  const [first] = functions.nudges.splice(0)
  // A check of the holder needs nothing of the stack.
  expect(await functions.runGenerator(first, { mayServe: false })).toBe('held')
  const [second] = functions.nudges.splice(0)
  expect(await functions.runGenerator(second, { mayServe: false })).toBe('wrong environment')
  functions.nudges.push(second ?? { stack: functions.stack, delayMs: 0 })
  expect(await functions.runToIdle()).toContain('ended')
})

test('a request of a stack whose role is refused starts no deployment, and stores the reason', async () => {
  const functions = await openScene()
  await functions.requestDeployment('k')
  expect(await functions.runGenerator({}, { isRefused: true })).toBe('refused')
  const storedRequest = await functions.platform.requests.find(functions.stack, 'k')
  expect(storedRequest?.end).toMatchObject({ kind: 'refused', code: 'STACK_ROLE_REFUSED' })
  expect((await getTestStack(functions.platform)).deployments).toBe(0)
  expect(functions.cloud.mutatingCalls).toEqual([])
})

test('a role that is revoked during a deployment is reported there, and the next run completes the deployment', async () => {
  const functions = await openScene()
  await functions.requestDeployment('k')
  const kill = { effect: 1, call: 'decisionLog.append registration', when: 'after' } as const
  await expect(functions.runGenerator({}, { kill })).rejects.toThrow(ProcessKilledError)
  await functions.runGenerator(functions.nudges.shift())
  const [secondNudge] = functions.nudges.splice(0)
  const refused = functions.runGenerator(secondNudge, { isRefused: true })
  await expect(refused).rejects.toThrow('the role refuses the stack')
  const deployment = `${functions.stack}/1` as never
  const { events } = await functions.platform.events.read(deployment, 0, 1_000)
  expect(events.join()).toContain('the role refuses the stack')
  const leases = await functions.platform.leases.list(deployment)
  expect(leases.filter(({ executor }) => executor.startsWith('generator-'))).toHaveLength(1)
  functions.nudges.push(secondNudge ?? { stack: functions.stack, delayMs: 0 })
  expect(await functions.runToIdle()).toContain('ended')
  expect(await readNames(functions)).toEqual(expect.arrayContaining(['a', 'b', 'c']))
})
