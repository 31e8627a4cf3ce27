/**
 * Functions whose roles lack a permission. The log names it, and the deployment goes on when an
 * administrator has granted it.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { waitUntil } from '../e2e/sandbox.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'

describeWithServices('a role without a permission', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: CloudBundles
  let sandbox: CloudSandbox | undefined
  beforeAll(async () => {
    bundles = await createBundles()
  })
  afterEach(() => sandbox?.remove(), 120_000)
  afterAll(() => bundles?.remove())

  test.each([
    ['step-executor', 'dynamodb:UpdateItem'],
    ['step-generator', 'sqs:SendMessage'],
  ] as const)(
    'for the function %s to use %s delays a deployment until it is granted',
    { timeout: 400_000 },
    async (name, action) => {
      const cloud = await createCloudSandbox('small', {
        aws: settings(),
        bundleOf: bundles.findBundle,
        // A message returns soon after its function failed.
        visibilitySeconds: { chains: 10, nudges: 10 },
      })
      sandbox = cloud
      cloud.revokedPermissions.add(`${name} ${action}`)
      const deployment = cloud.deploy('up', await cloud.upload({ DELAY: '10' }), 300_000)
      await waitUntil(() => cloud.countRevoked() > 1, { condition: 'refused requests' })
      await waitUntil(
        () => cloud.readLog().includes(`because no identity-based policy allows the ${action}`),
        {
          condition: 'the name of the permission in the log',
        },
      )
      cloud.revokedPermissions.clear()
      const end = await deployment
      expect(end.result, await cloud.readDiagnostics(end.deployment)).toBe('succeeded')
      const creates = cloud.listChanges().map(({ call }) => call)
      expect(creates).toEqual(['create'])
    },
  )
})
