/** A generator of the local cloud dies during a deployment, which is completed. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudRound, runCloudRound } from './cloud-rounds.ts'
import { describeWithServices } from './describe-with-services.ts'

describeWithServices('kills in the local cloud', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: CloudBundles
  beforeAll(async () => {
    bundles = await createBundles()
  })
  afterAll(() => bundles?.remove())

  // The recovery from the death of an executor takes minutes longer. The rounds of
  // cloud-kills.nightly.test.ts cover it.
  test('a deployment is completed after the death of its generator', {
    timeout: 600_000,
  }, async () => {
    const kills = [{ target: 'step-generator', callShare: 0.25, afterMs: 100 }] as const
    const round: CloudRound = { kind: 'create', kills, seed: 7 }
    const result = await runCloudRound(round, { aws: settings(), bundleOf: bundles.findBundle })
    expect(result).toMatchObject({ kills: ['step-generator'], unknownCreates: 0, repeatedCalls: 0 })
  })
})
