/** A lease of Pulumi's own command line that expires in real time, in the local cloud. */
import { afterEach, beforeAll, expect, test } from 'vitest'
import { leaseMs } from '../../shared/pulumi-service/client-update.ts'
import { requireSuccess, waitUntil } from '../e2e/sandbox.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { buildPulumiCli, cliVersions } from '../pulumi-cli/build-cli.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'
import { openServiceClient, type ServiceClient } from './service-client.ts'

describeWithServices('leases in the local cloud', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: CloudBundles | undefined
  let sandbox: CloudSandbox | undefined
  let service: ServiceClient | undefined
  afterEach(async () => {
    service?.remove()
    await sandbox?.remove()
    bundles?.remove()
  }, 120_000)

  describeWithCommands("Pulumi's own command line", [['go', 'version']], () => {
    // The first build on a machine takes minutes, which do not count for the test.
    beforeAll(() => {
      buildPulumiCli(cliVersions[0])
    }, 1_200_000)

    test('a killed client holds its stack for five minutes, and the next command closes its update', async () => {
      bundles = await createBundles()
      const bundleOf = bundles.findBundle
      const cloud = await createCloudSandbox('many', { aws: settings(), bundleOf })
      sandbox = cloud
      const client = await openServiceClient(cloud, 'many')
      service = client
      requireSuccess(await client.pulumi(['stack', 'init', 'dev']))
      const upArgs = ['up', '--yes', '--skip-preview']
      const up = client.startPulumi(upArgs)
      const hasObjects = (): boolean => cloud.listObjects().length >= 15
      await waitUntil(hasObjects, { condition: '15 objects' })
      up.kill('SIGKILL', 'group')
      await up.done
      const busy = await client.pulumi(upArgs)
      expect(busy.err + busy.out).toContain('is held by laptop: pulumi up')
      await new Promise(done => setTimeout(done, leaseMs))
      requireSuccess(await client.pulumi(['refresh', ...upArgs.slice(1)]))
      const history = await cloud.control.platform.catalog.listHistory(cloud.stack, 2)
      expect(history.map(({ result }) => result)).toEqual(['succeeded', 'interrupted'])
    }, 1_200_000)
  })
})
