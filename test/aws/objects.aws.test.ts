import { rmSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { findBackend } from '../../shared/backends/open-backend.ts'
import { emulatorAzureAccount } from '../../infra/emulators/emulators.ts'
import { createS3Client } from '../../shared/platform/aws/clients.ts'
import { parseObjectStoreUrl } from '../../shared/platform/objects/object-store-url.ts'
import { openObjectStore } from '../../shared/platform/objects/open-object-store.ts'
import { defineObjectsContract } from '../contract/objects.ts'
import { createCommandBench } from '../integration/backends/command-bench.ts'
import { describeWithServices } from './describe-with-services.ts'
import { createTestBucket } from './test-resources.ts'

describeWithServices('objects of s3://', ['S3'], settings => {
  const openStore = async (bucket: string, env: NodeJS.ProcessEnv = process.env) => {
    const endpoint = encodeURIComponent(settings().endpoints.S3 ?? '')
    const address = `s3://${bucket}/team/state?endpoint=${endpoint}&s3ForcePathStyle=true&region=us-east-1`
    return openObjectStore(parseObjectStoreUrl(address, '/'), env)
  }

  defineObjectsContract('S3', async () => {
    const client = createS3Client(settings())
    const ports = await openStore(await createTestBucket(client))
    return { ports, close: async () => client.destroy() }
  })

  test('a missing bucket has an error code of its own', async () => {
    const store = await openStore('antichain-no-such-bucket')
    await expect(findBackend(store, {})).rejects.toMatchObject({ code: 'BACKEND_MISSING' })
  })

  test('wrong credentials have an error code of their own', async () => {
    const endpoint = encodeURIComponent(settings().endpoints.S3 ?? '')
    const address = `s3://any?endpoint=${endpoint}&s3ForcePathStyle=true&region=us-east-1`
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wrong')
    try {
      const store = await openObjectStore(parseObjectStoreUrl(address, '/'), {})
      await expect(store.get('a')).rejects.toMatchObject({ code: 'BACKEND_CREDENTIALS' })
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('an unknown parameter is refused', async () => {
    const url = parseObjectStoreUrl('s3://bucket?regoin=us-east-1', '/')
    await expect(openObjectStore(url, {})).rejects.toMatchObject({ code: 'BACKEND_URL_INVALID' })
  })
})

describeWithServices('objects of gs://', ['GCS'], () => {
  const endpoint = process.env['ANTICHAIN_GCS_ENDPOINT'] ?? ''
  const env = { STORAGE_EMULATOR_HOST: endpoint }
  const openStore = async (bucket: string) =>
    openObjectStore(parseObjectStoreUrl(`gs://${bucket}/team/state`, '/'), env)

  defineObjectsContract('Google Cloud', async () => {
    const name = `antichain-${process.pid}-${Date.now()}`
    const created = await fetch(`${endpoint}/storage/v1/b?project=test`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    })
    expect(created.status).toBe(200)
    return { ports: await openStore(name), close: async () => {} }
  })

  test('a missing bucket has an error code of its own', async () => {
    const store = await openStore('antichain-no-such-bucket')
    await expect(findBackend(store, {})).rejects.toMatchObject({ code: 'BACKEND_MISSING' })
  })
})

describeWithServices('a command on gs:// with an emulator', ['GCS'], () => {
  test('logs in, creates a stack, and lists it', async () => {
    const endpoint = process.env['ANTICHAIN_GCS_ENDPOINT'] ?? ''
    const name = `antichain-command-${process.pid}-${Date.now()}`
    await fetch(`${endpoint}/storage/v1/b?project=test`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    })
    vi.stubEnv('STORAGE_EMULATOR_HOST', endpoint)
    const bench = createCommandBench()
    try {
      for (const args of [
        ['login', `gs://${name}/state`],
        ['stack', 'init', 'dev'],
        ['stack', 'ls'],
      ])
        expect(await bench.run(...args)).toMatchObject({ exit: 0 })
      expect((await bench.run('stack', 'ls')).out).toContain('dev')
    } finally {
      vi.unstubAllEnvs()
      rmSync(bench.root, { recursive: true, force: true })
    }
  })
})

describeWithServices('objects of azblob://', ['AZBLOB'], () => {
  const { host } = new URL(process.env['ANTICHAIN_AZBLOB_ENDPOINT'] ?? 'http://none')
  const { name: account, key } = emulatorAzureAccount
  const query = `storage_account=${account}&localemu=true&domain=${host}`
  const openStore = async (container: string, env: Record<string, string> = {}) =>
    openObjectStore(parseObjectStoreUrl(`azblob://${container}/team/state?${query}`, '/'), {
      AZURE_STORAGE_KEY: key,
      ...env,
    })

  defineObjectsContract('Azure', async () => {
    const container = `antichain-${process.pid}-${Date.now()}`
    const { BlobServiceClient, StorageSharedKeyCredential } = await import('@azure/storage-blob')
    await new BlobServiceClient(
      `http://${host}/${account}`,
      new StorageSharedKeyCredential(account, key),
    ).createContainer(container)
    return { ports: await openStore(container), close: async () => {} }
  })

  test('a missing container and a wrong key have error codes of their own', async () => {
    const store = await openStore('antichain-no-such-container')
    await expect(findBackend(store, {})).rejects.toMatchObject({ code: 'BACKEND_MISSING' })
    const denied = await openStore('any', { AZURE_STORAGE_KEY: 'd3Jvbmc=' })
    await expect(denied.get('a')).rejects.toMatchObject({ code: 'BACKEND_DENIED' })
  })
})
