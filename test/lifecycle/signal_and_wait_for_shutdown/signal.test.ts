import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Monitor } from '../engine.ts'
import { ProgramFailed } from '../scripted-hosts.ts'
import { closeProgramFunctions, openProgramFunctions, withHooks } from '../program-functions.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(async () => {
  closeProgramFunctions()
  await engines.close()
})

const wait = ({ client }: Monitor): Promise<'released'> =>
  new Promise((done, failed) =>
    client.signalAndWaitForShutdown({}, thrown =>
      thrown === null ? done('released') : failed(thrown),
    ),
  )

test('TestSignalAndWaitForShutdown: SignalAndWaitForShutdown returns after the deletes', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(async monitor => {
    const functions = await openProgramFunctions(monitor)
    const afterDeleteHook = await functions.registerHook('went', () => undefined)
    await registerThing(monitor, 'a', { v: 1 }, withHooks({ afterDelete: [afterDeleteHook] }))
  })
  const order: string[] = []
  let second = ''
  const testRun = await engine.run(async monitor => {
    const functions = await openProgramFunctions(monitor)
    await functions.registerHook('went', () => void order.push('hook'))
    const first = wait(monitor).then(end => order.push(end))
    second = await wait(monitor).catch(String)
    await first
  })
  expect(order).toEqual(['hook', 'released'])
  expect(second).toContain('Already waiting for shutdown')
  expect(cloud.mutatingCalls).toEqual(['create a', 'delete a-1'])
  expect(testRun.state.resources?.some(({ urn }) => urn.endsWith('::a'))).toBe(false)
})

test('TestSignalAndWaitForShutdownError: a failed create ends the run, and the call of the program fails as unavailable', async () => {
  const cloud = createCloud()
  cloud.faults.add('create a')
  const engine = await engines.open(cloud)
  let failure = ''
  const testRun = await engine.run(async monitor => {
    await registerThing(monitor, 'a', { v: 1 }).catch((thrown: unknown) => {
      failure = String(thrown)
      throw thrown
    })
  })
  expect(testRun.result.result).toBe('failed')
  // UNAVAILABLE: the SDK interprets it as "stop silently".
  expect(failure).toContain('14 UNAVAILABLE')
})

test('TestSignalAndWaitForShutdownContinueOnError: SignalAndWaitForShutdown returns without an error although the run failed', async () => {
  const cloud = createCloud()
  cloud.faults.add('create a')
  const engine = await engines.open(cloud)
  let end = ''
  const testRun = await engine.run(
    async monitor => {
      await registerThing(monitor, 'a', { v: 1 }, { supportsResultReporting: true })
      end = await wait(monitor)
    },
    { continueOnError: true },
  )
  expect(end).toBe('released')
  expect(testRun.result.result).toBe('failed')
})

test('TestSignalAndWaitForShutdownErrorAfterWait: a failure after the signal fails the run', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const testRun = await engine.run(async monitor => {
    await registerThing(monitor, 'a', { v: 1 })
    await wait(monitor)
    throw new Error('after all')
  })
  expect(testRun.result.result).toBe('failed')
  expect(cloud.mutatingCalls).toEqual(['create a'])
})

test('if a program fails during the deletes after its signal, the run fails with the message of the program', async () => {
  const engine = await engines.open(createCloud(300))
  await engine.run(async monitor => void (await registerThing(monitor, 'a', { v: 1 })))
  const testRun = await engine.run(async monitor => {
    void wait(monitor).catch(() => undefined)
    await new Promise(done => setTimeout(done, 50))
    throw new ProgramFailed('in between')
  })
  expect(testRun.result.result).toBe('failed')
  expect(JSON.stringify(testRun.events)).toContain('an unhandled error occurred: in between')
})
