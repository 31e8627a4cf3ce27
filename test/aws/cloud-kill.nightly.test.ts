/** Functions of the local cloud die in the middle of a deployment, and it is finished. */
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

  // An executor that dies costs minutes more: the rounds of the night have those.
  test('a deployment outlives its generator', { timeout: 600_000 }, async () => {
    const kills = [{ whom: 'step-generator', part: 0.25, afterMs: 100 }] as const
    const round: CloudRound = { doing: 'create', kills, seed: 7 }
    const result = await runCloudRound(round, { aws: settings(), code: bundles.findBundle })
    expect(result).toMatchObject({ kills: ['step-generator'], unknown: 0, repeated: 0 })
  })
})
