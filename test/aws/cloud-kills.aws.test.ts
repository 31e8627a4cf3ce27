/** Functions of the local cloud die in the middle of a deployment, and it is finished. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBundles } from './cloud-place.ts'
import { type CloudRound, runCloudRound } from './cloud-rounds.ts'
import { whenServed } from './served.ts'

whenServed('kills in the local cloud', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: ReturnType<typeof createBundles>
  beforeAll(() => {
    bundles = createBundles()
  })
  afterAll(() => bundles?.remove())

  test('a deployment outlives its generator and an executor', { timeout: 600_000 }, async () => {
    const round: CloudRound = {
      doing: 'create',
      kills: [
        { whom: 'step-executor', part: 0.2, afterMs: 50 },
        { whom: 'step-generator', part: 0.4, afterMs: 100 },
      ],
      seed: 7,
    }
    const result = await runCloudRound(round, { aws: settings(), code: bundles.code })
    console.log(JSON.stringify(result))
    expect(result.kills).toEqual(['step-executor', 'step-generator'])
  })
})
