/**
 * An operation that takes longer than a function's time limit runs in the long pool of the local
 * cloud.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readExport } from '../e2e/exported-state.ts'
import { type CloudPlace, createBundles, createCloudPlace } from './cloud-place.ts'
import { whenServed } from './when-served.ts'

whenServed('long pool', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: ReturnType<typeof createBundles>
  let place: CloudPlace
  beforeAll(async () => {
    bundles = createBundles()
    place = await createCloudPlace('patient', { aws: settings(), code: bundles.findBundle })
  })
  afterAll(async () => {
    await place?.remove()
    bundles?.remove()
  }, 120_000)

  test('a create with a limit of 20 minutes is run by a task, and its dependents afterwards', {
    timeout: 300_000,
  }, async () => {
    const program = await place.upload({})
    const tasks = new Set<number>()
    const looking = setInterval(() => {
      for (const pid of place.cloud.longTasks('step-executor')) tasks.add(pid)
    }, 100)
    const end = await place.deploy('up', program, 240_000).finally(() => clearInterval(looking))
    expect(end.result, await place.readDiagnostics(end.deployment)).toBe('succeeded')
    expect(tasks.size).toBe(1)
    const changes = place.listChanges().map(({ call, urn }) => `${call} ${urn.split('::').at(-1)}`)
    expect(changes).toEqual(['create slow', 'create quick'])
    expect(readExport(await place.exportState()).resources.map(({ name }) => name)).toContain(
      'quick',
    )
  })
})
