/** The local cloud: bundled functions as processes of their own, with nothing between them but the services. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readExport } from '../e2e/state.ts'
import { createBundles, createCloudPlace } from './cloud-place.ts'
import { whenServed } from './served.ts'

whenServed('local cloud', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: ReturnType<typeof createBundles>
  beforeAll(() => {
    bundles = createBundles()
  })
  afterAll(() => bundles?.remove())

  describe('a program', () => {
    test('is deployed by bundled functions', async () => {
      const place = await createCloudPlace('small', { aws: settings(), code: bundles.code })
      try {
        const program = await place.upload({})
        const end = await place.deploy('up', program)
        expect(end.result, await place.told(end.deployment)).toBe('succeeded')
        const state = readExport(await place.exported())
        expect(place.objects().map(({ id }) => id)).toEqual(['thing-1'])
        expect(state.resources.map(({ id }) => id)).toContain('thing-1')
      } finally {
        await place.remove()
      }
    })
  })
})
