/** Deployments that Pulumi's own command line requests from the functions of the local cloud. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { requireSuccess, waitUntil } from '../e2e/sandbox.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'
import { openServiceClient, type ServiceClient } from './service-client.ts'

const timeoutMs = 900_000
const streamLogs = '--suppress-stream-logs=false'

describeWithServices('service of the local cloud', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: CloudBundles
  let sandbox: CloudSandbox
  let service: ServiceClient
  beforeAll(async () => {
    bundles = await createBundles()
  })
  afterAll(() => bundles?.remove())
  afterEach(async () => {
    service?.remove()
    await sandbox?.remove()
  }, 120_000)

  const runPulumi = async (...args: readonly string[]): Promise<string> =>
    requireSuccess(await service.pulumi(args)).out
  const run = (operation: string): Promise<string> =>
    runPulumi('deployment', 'run', operation, streamLogs)

  describeWithCommands('deployments of the command line of Pulumi', [['go', 'version']], () => {
    test(
      'run in functions, also the first one of a stack, and are scheduled and cancelled',
      async () => {
        const bundleOf = bundles.findBundle
        sandbox = await createCloudSandbox('small', { aws: settings(), bundleOf })
        service = await openServiceClient(sandbox, 'small')
        await runPulumi('stack', 'init', 'dev')
        writeFileSync(join(sandbox.program, 'Pulumi.dev.yaml'), 'config: {}\n')
        const { requests } = sandbox.control.platform
        await requests.putProgram(sandbox.stack, await sandbox.upload({}))
        expect(await run('preview')).toContain('2 to create')
        expect(await run('update')).toContain('2 created')
        expect(sandbox.listObjects()).toHaveLength(1)
        expect(await run('detect-drift')).toContain('succeeded: 2 same')
        const created = await runPulumi(
          ...['stack', 'schedule', 'new', '--kind', 'drift', '--cron', '0 4 * * *'],
        )
        const id = /ID: +(\S+)/.exec(created)?.[1] ?? ''
        await runPulumi('stack', 'schedule', 'remove', id, '--yes')

        expect(await run('destroy')).toContain('2 deleted')
        expect(sandbox.listObjects()).toEqual([])

        // A running update of a client keeps the fifth request, `dep-5`, waiting. With GOLD_ASKED, the
        // provider also records requests that it has not answered.
        const env = { GOLD_ASKED: '1', DELAY: '15000' }
        const changesBefore = sandbox.listChanges().length
        const up = service.startPulumi(['up', '--yes', '--skip-preview'], env)
        const isCreating = (): boolean => sandbox.listChanges().length > changesBefore
        await waitUntil(isCreating, { condition: 'a create' })
        await runPulumi('deployment', 'run', 'destroy')
        await runPulumi('deployment', 'cancel', 'dep-5', '--yes')
        expect(await runPulumi('deployment', 'get', '5')).toMatch(/Status: +skipped/)
        requireSuccess(await up.done)
        expect(sandbox.listObjects()).toHaveLength(1)
        await runPulumi('destroy', '--yes', '--skip-preview')
        expect(sandbox.listObjects()).toEqual([])
      },
      timeoutMs,
    )
  })
})
