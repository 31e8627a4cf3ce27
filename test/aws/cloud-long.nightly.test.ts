/**
 * An operation that takes longer than a function's time limit runs in the long pool of the local
 * cloud.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseExport } from '../e2e/exported-state.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'

describeWithServices('long pool', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: CloudBundles
  let sandbox: CloudSandbox
  beforeAll(async () => {
    bundles = await createBundles()
    sandbox = await createCloudSandbox('patient', { aws: settings(), bundleOf: bundles.findBundle })
  })
  afterAll(async () => {
    await sandbox?.remove()
    bundles?.remove()
  }, 120_000)

  test('a create with a time limit of 20 minutes runs in one task, and its dependent afterwards', {
    timeout: 300_000,
  }, async () => {
    const program = await sandbox.upload({})
    const tasks = new Set<number>()
    const pidPolling = setInterval(() => {
      for (const pid of sandbox.cloud.listTaskPids('step-executor')) tasks.add(pid)
    }, 100)
    const end = await sandbox
      .deploy('up', program, 240_000)
      .finally(() => clearInterval(pidPolling))
    expect(end.result, await sandbox.readDiagnostics(end.deployment)).toBe('succeeded')
    expect(tasks.size).toBe(1)
    const changes = sandbox
      .listChanges()
      .map(({ call, urn }) => `${call} ${urn.split('::').at(-1)}`)
    expect(changes).toEqual(['create slow', 'create quick'])
    expect(parseExport(await sandbox.exportState()).resources.map(({ name }) => name)).toContain(
      'quick',
    )
  })
})
