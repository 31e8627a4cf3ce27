import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Monitor } from '../engine.ts'
import { closeFunctions, functionsOf, hooks } from '../functions-of-programs.ts'
import { createEngines, thing } from '../things.ts'

const engines = createEngines()
afterEach(async () => {
  closeFunctions()
  await engines.close()
})

const wait = ({ client }: Monitor): Promise<'released'> =>
  new Promise((done, failed) =>
    client.signalAndWaitForShutdown({}, thrown =>
      thrown === null ? done('released') : failed(thrown),
    ),
  )

test('TestSignalAndWaitForShutdown: it is answered when the deletes are done', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(async monitor => {
    const functions = await functionsOf(monitor)
    const went = await functions.hook('went', () => undefined)
    await thing(monitor, 'a', { v: 1 }, hooks({ afterDelete: [went] }))
  })
  const order: string[] = []
  let second = ''
  const ran = await engine.run(async monitor => {
    const functions = await functionsOf(monitor)
    await functions.hook('went', () => void order.push('hook'))
    const first = wait(monitor).then(end => order.push(end))
    second = await wait(monitor).catch(String)
    await first
  })
  expect(order).toEqual(['hook', 'released'])
  expect(second).toContain('Already waiting for shutdown')
  expect(cloud.log).toEqual(['create a', 'delete a-1'])
  expect(ran.state.resources?.some(({ urn }) => urn.endsWith('::a'))).toBe(false)
})

test('TestSignalAndWaitForShutdownError: a failing create is no answer to the program, and the run ends', async () => {
  const cloud = createCloud()
  cloud.faults.add('create a')
  const engine = await engines.of(cloud)
  let said = ''
  const ran = await engine.run(async monitor => {
    await thing(monitor, 'a', { v: 1 }).catch((thrown: unknown) => {
      said = String(thrown)
      throw thrown
    })
  })
  expect(ran.result.result).toBe('failed')
  // UNAVAILABLE: the SDK takes it as "stop silently".
  expect(said).toContain('14 UNAVAILABLE')
})

test('TestSignalAndWaitForShutdownContinueOnError: the wait ends well though the run failed', async () => {
  const cloud = createCloud()
  cloud.faults.add('create a')
  const engine = await engines.of(cloud)
  let end = ''
  const ran = await engine.run(
    async monitor => {
      await thing(monitor, 'a', { v: 1 }, { supportsResultReporting: true })
      end = await wait(monitor)
    },
    { continueOnError: true },
  )
  expect(end).toBe('released')
  expect(ran.result.result).toBe('failed')
})

test('TestSignalAndWaitForShutdownErrorAfterWait: what fails after the signal fails the run', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const ran = await engine.run(async monitor => {
    await thing(monitor, 'a', { v: 1 })
    await wait(monitor)
    throw new Error('after all')
  })
  expect(ran.result.result).toBe('failed')
  expect(cloud.log).toEqual(['create a'])
})
