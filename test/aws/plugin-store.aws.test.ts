import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { awsLimits } from '../../shared/config/aws-limits.ts'
import { createPluginStore } from '../../shared/platform/aws/blobs/plugin-store.ts'
import { createUploads } from '../../shared/platform/aws/blobs/presigned-uploads.ts'
import { createS3Client } from '../../shared/platform/aws/clients.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import {
  formatSourceAddress,
  formatStoredName,
  parseSourceAddress,
} from '../../shared/providers/terraform/install/source-address.ts'
import {
  listInstalledProviders,
  terraformCacheOf,
} from '../../shared/providers/terraform/install/terraform-cache.ts'
import { packZip } from '../../shared/providers/terraform/install/zip.fixture.ts'
import { createPluginFetcher } from '../../shared/runtime/plugins/fetch-plugin.ts'
import type { BlobHash } from '../../shared/records/ids.ts'
import { createTestBucket } from './test-resources.ts'
import { describeWithServices } from './describe-with-services.ts'

const arm = { kind: 'resource', name: 'gold', os: 'linux', arch: 'arm64' } as const
const bytesOf = (text: string): Uint8Array => Buffer.from(text)

describeWithServices('plugins in S3', ['S3'], settings => {
  const openStore = async () => {
    const s3 = createS3Client(settings())
    const bucket = await createTestBucket(s3)
    const prefix = 'plugins/'
    return {
      s3,
      bucket,
      store: createPluginStore({ s3, bucket, prefix, clock: createSystemClock() }),
    }
  }

  test('a plugin is found by its version, or as the newest stable one, for the platform', async () => {
    const { store } = await openStore()
    for (const version of ['1.9.0', '1.10.0', '2.0.0-beta.1'])
      await store.put({ ...arm, version }, bytesOf(version))
    await store.put({ ...arm, arch: 'x64', version: '3.0.0' }, bytesOf('other'))
    const readText = async (version: string): Promise<string | undefined> => {
      const storedPlugin = await store.get({ ...arm, version })
      return storedPlugin && `${storedPlugin.version} ${Buffer.from(storedPlugin.bytes).toString()}`
    }
    expect(await readText('1.9.0')).toBe('1.9.0 1.9.0')
    expect(await readText('')).toBe('1.10.0 1.10.0')
    expect(await readText('1.11.0')).toBeUndefined()
    expect(await store.get({ ...arm, name: 'silver', version: '' })).toBeUndefined()
  })

  test('all plugins are listed with their sources, page by page', async () => {
    const { store } = await openStore()
    const patches = Array.from({ length: awsLimits.pluginsPerPage }, (_, patch) => patch)
    for (const patch of patches)
      await store.put({ ...arm, name: 'gold-linux', version: `1.0.${patch}` }, bytesOf('same'))
    const tool = { ...arm, kind: 'tool', arch: 'x64', version: '2.0.0-rc.1' }
    await store.add(tool, bytesOf('tool'), 'acme')
    const first = await store.list('')
    expect(first.plugins.map(({ name, version }) => `${name} ${version}`).toSorted()).toEqual(
      patches.map(patch => `gold-linux 1.0.${patch}`).toSorted(),
    )
    const second = await store.list(first.next ?? '')
    expect(second).toEqual({
      plugins: [
        {
          ...tool,
          storedAtMs: expect.any(Number),
          sha256: createHash('sha256').update('tool').digest('hex'),
          source: 'acme',
        },
      ],
    })
    expect(second.plugins[0]?.storedAtMs).toBeGreaterThan(Date.now() - 3_600_000)
    // This position is after every stored name, because `~` sorts after letters.
    expect(await store.list('tool-~')).toEqual({ plugins: [] })
  })

  test('the package of a Terraform provider is found by its address', async () => {
    const { store } = await openStore()
    const address = parseSourceAddress('localhost:8443/acme/thing')
    const executable = { name: 'terraform-provider-thing', content: Buffer.from('content') }
    const key = { ...arm, kind: 'terraform', name: formatStoredName(address), version: '1.0.0' }
    await store.put(key, packZip([executable]))
    const home = mkdtempSync(join(tmpdir(), 'plugin-store-'))
    const fetchPlugin = createPluginFetcher(store, { home, os: 'linux', arch: 'arm64' })
    const plugin = { kind: 'terraform', name: formatSourceAddress(address), downloadUrl: '' }
    try {
      expect(await fetchPlugin({ ...plugin, version: '2.0.0' })).toBe(false)
      expect(await fetchPlugin({ ...plugin, version: '' })).toBe(true)
      const cache = terraformCacheOf({ env: {}, home })
      expect(listInstalledProviders(cache)).toEqual([
        expect.objectContaining({ source: 'localhost:8443/acme/thing', version: '1.0.0' }),
      ])
    } finally {
      rmSync(home, { recursive: true })
    }
  })

  test('bytes that do not match the checksum are not used', async () => {
    const { s3, store, bucket } = await openStore()
    await store.put({ ...arm, version: '1.0.0' }, bytesOf('good'))
    const { Contents: all = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }))
    const blob = all.find(({ Key: key = '' }) => key.endsWith('.blob'))?.Key
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: blob, Body: 'evil' }))
    await expect(store.get({ ...arm, version: '1.0.0' })).rejects.toMatchObject({
      code: 'PLUGIN_CHECKSUM',
    })
  })

  test('an uploaded or downloaded version is stored once and never replaced', async () => {
    const { s3, bucket, store } = await openStore()
    const location = { s3, bucket, prefix: 'plugins/' }
    const uploads = createUploads({ blobs: { ...location, prefix: 'blobs/' }, plugins: location })
    const version = { ...arm, version: '1.2.3' }
    const uploadText = async (text: string): Promise<BlobHash> => {
      const body = Buffer.from(text)
      const hash = createHash('sha256').update(body).digest('hex') as BlobHash
      const { url, headers } = await uploads.createPluginAddress(hash, body.length)
      expect((await fetch(url, { method: 'PUT', headers, body })).status).toBe(200)
      return hash
    }
    const unsent = 'f'.repeat(64) as BlobHash
    await expect(store.registerArchive(version, unsent)).rejects.toMatchObject({
      code: 'DOCUMENT_UNKNOWN',
    })
    const good = await uploadText('good')
    expect([
      await store.registerArchive(version, good),
      await store.registerArchive(version, good),
    ]).toEqual([true, true])
    expect(await store.registerArchive(version, await uploadText('evil'))).toBe(false)
    expect(await store.add(version, bytesOf('worse'), 'acme/gold')).toBe(false)
    const next = { ...arm, version: '1.2.4' }
    expect([
      await store.add(next, bytesOf('next'), 'acme/gold'),
      await store.add(next, bytesOf('next'), 'acme/gold'),
    ]).toEqual([true, true])
    expect(await store.get(next)).toMatchObject({ source: 'acme/gold' })
    const storedPlugin = await store.get(version)
    expect(Buffer.from(storedPlugin?.bytes ?? []).toString()).toBe('good')
  })

  test('invalid names and versions are refused as missing plugins', async () => {
    const { store } = await openStore()
    const bad = { ...arm, name: '../x', version: '1.0.0' }
    await expect(store.get(bad)).rejects.toMatchObject({ code: 'PLUGIN_MISSING' })
    await expect(store.put({ ...arm, version: 'x' }, bytesOf('x'))).rejects.toMatchObject({
      code: 'PLUGIN_MISSING',
    })
  })
})
