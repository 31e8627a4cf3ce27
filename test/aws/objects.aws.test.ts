import { expect, test } from 'vitest'
import { findBackend } from '../../shared/backends/open-backend.ts'
import { createS3Client } from '../../shared/platform/aws/clients.ts'
import { parseObjectStoreUrl } from '../../shared/platform/objects/object-store-url.ts'
import { openObjectStore } from '../../shared/platform/objects/open-object-store.ts'
import { objectsContract } from '../contract/objects.ts'
import { describeWithServices } from './describe-with-services.ts'
import { createTestBucket } from './test-resources.ts'

describeWithServices('objects of s3://', ['S3'], settings => {
  const openStore = async (bucket: string, env: NodeJS.ProcessEnv = process.env) => {
    const endpoint = encodeURIComponent(settings().endpoints.S3 ?? '')
    const address = `s3://${bucket}/team/state?endpoint=${endpoint}&s3ForcePathStyle=true&region=us-east-1`
    return openObjectStore(parseObjectStoreUrl(address, '/'), env)
  }

  objectsContract('S3', async () => {
    const client = createS3Client(settings())
    const ports = await openStore(await createTestBucket(client))
    return { ports, close: async () => client.destroy() }
  })

  test('a missing bucket is an error of its own', async () => {
    const store = await openStore('antichain-no-such-bucket')
    await expect(findBackend(store, {})).rejects.toMatchObject({ code: 'BACKEND_MISSING' })
  })

  test('an unknown parameter is refused', async () => {
    const url = parseObjectStoreUrl('s3://bucket?regoin=us-east-1', '/')
    await expect(openObjectStore(url, {})).rejects.toMatchObject({ code: 'BACKEND_URL_INVALID' })
  })
})
