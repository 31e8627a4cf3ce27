/** A generator of the local cloud dies during a deployment, which is completed. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBundles } from './cloud-place.ts'
import { type CloudRound, runCloudRound } from './cloud-rounds.ts'
import { whenServed } from './when-served.ts'

whenServed('kills in the local cloud', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: ReturnType<typeof createBundles>
  beforeAll(() => {
    bundles = createBundles()
  })
  afterAll(() => bundles?.remove())

  // The death of an executor takes minutes longer; the nightly rounds cover it.
  test('a deployment is completed after the death of its generator', {
    timeout: 600_000,
  }, async () => {
    const kills = [{ whom: 'step-generator', part: 0.25, afterMs: 100 }] as const
    const round: CloudRound = { doing: 'create', kills, seed: 7 }
    const result = await runCloudRound(round, { aws: settings(), code: bundles.findBundle })
    expect(result).toMatchObject({ kills: ['step-generator'], unknown: 0, repeated: 0 })
  })
})
