import { afterEach, expect, test } from 'vitest'
import { type Cloud, createCloud } from '../cloud.ts'
import type { Monitor, Program } from '../engine.ts'
import { createEngines, createThings, registerThing } from '../register-thing.ts'
import { diagnosticsOf, stepsOf } from '../run-events.ts'
import { listStateNames } from '../target/run-summary.ts'
import { ProcessKilledError } from '../test-process.ts'

const engines = createEngines()
afterEach(() => engines.close())

const continueOptions = { continueOnError: true } as const

/** Returns a cloud with the object `foreign-1`, and a list of the ids that its provider reads. */
function createReadCloud(): { readonly cloud: Cloud; readonly reads: string[] } {
  const cloud = createCloud()
  cloud.objects.set('foreign-1', { v: 1 })
  const reads: string[] = []
  const script: Cloud['script'] = {
    ...cloud.script,
    read: (request: { readonly id: string }) => {
      reads.push(request.id)
      return cloud.script.read?.(request as never)
    },
  }
  return { cloud: { ...cloud, script }, reads }
}

/** Registers a resource. Returns its URN, even if the registration failed or was skipped. */
async function registerReporting(
  monitor: Monitor,
  name: string,
  dependencies: readonly string[] = [],
): Promise<string> {
  const options = { supportsResultReporting: true, dependencies: [...dependencies] }
  return (await registerThing(monitor, name, { v: 1 }, options)).urn
}

/** Reads a resource, and reports whether the read succeeded. */
const tryRead = (monitor: Monitor, id: string, dependencies: string[]): Promise<boolean> =>
  monitor.read('outside', id, { dependencies }).then(
    () => true,
    () => false,
  )

const outsideUrn = 'urn:pulumi:dev::life::test:index:Thing::outside'

test('a read that depends on a failed create is skipped, and so are its dependents', async () => {
  const { cloud, reads } = createReadCloud()
  const engine = await engines.open(cloud)
  const results: boolean[] = []
  cloud.faults.add('create failing')
  const testRun = await engine.run(async monitor => {
    const failing = await registerReporting(monitor, 'failing')
    results.push(await tryRead(monitor, 'foreign-1', [failing]))
    await registerReporting(monitor, 'dependent', [outsideUrn])
    await registerReporting(monitor, 'independent')
  }, continueOptions)
  expect(testRun.result.result).toBe('failed')
  expect(results).toEqual([false])
  expect(reads).toEqual([])
  expect(listStateNames(testRun)).toEqual(['independent'])
  expect(stepsOf(testRun)).toEqual(['create failing', 'create independent'])
})

test('a skipped read keeps the existing resource of its URN', async () => {
  const { cloud } = createReadCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ outside: { v: 1 } }))
  cloud.faults.add('create failing')
  const testRun = await engine.run(async monitor => {
    const failing = await registerReporting(monitor, 'failing')
    await tryRead(monitor, 'foreign-1', [failing])
  }, continueOptions)
  expect(testRun.result.result).toBe('failed')
  expect(listStateNames(testRun)).toEqual(['outside'])
  expect(cloud.mutatingCalls).toEqual(['create outside', 'create failing'])
})

test('a resumed deployment skips the dependents of a read that failed before', async () => {
  const { cloud } = createReadCloud()
  const engine = await engines.open(cloud)
  const program: Program = async monitor => {
    await tryRead(monitor, 'missing-1', [])
    await registerReporting(monitor, 'first')
    await registerReporting(monitor, 'dependent', [outsideUrn])
    await registerReporting(monitor, 'independent')
  }
  // The third begin is that of `independent`. The read and `first` have begun before it.
  const kill = { call: 'operations.begin', effect: 3, when: 'before' } as const
  const killedRun = engine.run(program, { ...continueOptions, kill })
  await expect(killedRun).rejects.toBeInstanceOf(ProcessKilledError)
  const testRun = await engine.run(program, { ...continueOptions, resume: true })
  expect(testRun.result.result).toBe('failed')
  expect(diagnosticsOf(testRun).filter(text => text.includes('is not known'))).toEqual([])
  expect(listStateNames(testRun)).toEqual(['first', 'independent'])
})
