import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create } from 'tar'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findPlugin } from '../../providers/plugins/find-plugin.ts'
import { findPackageExecutable } from '../../providers/terraform/install/package-folders.ts'
import { packZip } from '../../providers/terraform/install/zip.fixture.ts'
import { createPluginFetcher } from './fetch-plugin.ts'

let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'antichain-plugins-'))
})

afterEach(() => rmSync(home, { recursive: true, force: true }))

const plugin = { kind: 'resource', name: 'gold', version: '', downloadUrl: '' } as const

/** Packs a plugin into an archive as the plugin store has it. */
async function packPlugin(): Promise<Uint8Array> {
  const cwd = join(home, 'built')
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'pulumi-resource-gold'), '#!/bin/sh\n', { mode: 0o755 })
  const chunks: Buffer[] = []
  for await (const chunk of create({ cwd, gzip: true }, ['pulumi-resource-gold']))
    chunks.push(chunk)
  return Buffer.concat(chunks)
}

function createFetcher(bytes: Uint8Array | undefined) {
  const requests: unknown[] = []
  const fetch = createPluginFetcher(
    {
      get: async key => {
        requests.push(key)
        return bytes === undefined ? undefined : { version: '1.2.3', bytes }
      },
    },
    { home, os: 'linux', arch: 'arm64' },
  )
  return { fetch, requests }
}

test('a missing plugin is fetched once, and then found in the plugin cache', async () => {
  const { fetch, requests } = createFetcher(await packPlugin())
  const places = { env: {}, home, path: '' }
  expect(findPlugin(plugin, places)).toHaveProperty('missing')
  expect(await Promise.all([fetch(plugin), fetch(plugin)])).toEqual([true, true])
  const lookup = findPlugin(plugin, places)
  const folder = join(home, '.pulumi', 'plugins', 'resource-gold-v1.2.3')
  expect(lookup).toEqual({ path: join(folder, 'pulumi-resource-gold') })
  expect(readFileSync(join(folder, 'pulumi-resource-gold'), 'utf8')).toBe('#!/bin/sh\n')
  expect(requests).toEqual([
    { kind: 'resource', name: 'gold', version: '', os: 'linux', arch: 'arm64' },
  ])
})

test('a plugin that the store does not have is requested again the next time', async () => {
  const { fetch, requests } = createFetcher(undefined)
  expect(await fetch(plugin)).toBe(false)
  expect(await fetch(plugin)).toBe(false)
  expect(requests).toHaveLength(2)
})

test('an archive that cannot be unpacked leaves no files in the plugin cache', async () => {
  const { fetch } = createFetcher(Buffer.from('nonsense'))
  await expect(fetch(plugin)).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE' })
  expect(existsSync(join(home, '.pulumi', 'plugins', 'resource-gold-v1.2.3'))).toBe(false)
})

test('a Terraform provider is fetched by its address into the cache of its kind', async () => {
  const zip = packZip([
    { name: 'terraform-provider-thing_v1.2.3', content: Buffer.from('#!/bin/sh\n') },
  ])
  const { fetch, requests } = createFetcher(zip)
  const source = 'registry.opentofu.org/acme/thing'
  const provider = { kind: 'terraform', name: source, version: '1.2.3', downloadUrl: '' }
  expect(await fetch(provider)).toBe(true)
  const folder = join(home, '.pulumi/dynamic_tf_plugins', source, '1.2.3/linux_arm64')
  expect(findPackageExecutable(folder, 'thing')).toBe(
    join(folder, 'terraform-provider-thing_v1.2.3'),
  )
  expect(requests).toEqual([
    {
      kind: 'terraform',
      name: 'registry.opentofu.org.acme.thing',
      version: '1.2.3',
      os: 'linux',
      arch: 'arm64',
    },
  ])
})

test('concurrent requests with different sources or checksums are checked separately, and one is served', async () => {
  const bytes = await packPlugin()
  const fetch = createPluginFetcher(
    { get: async () => ({ version: '1.2.3', bytes, source: 'pulumi/gold' }) },
    { home, os: 'linux', arch: 'arm64' },
  )
  const foreign = { ...plugin, downloadUrl: 'github://api.github.com/stranger' }
  const other = { ...plugin, checksums: new Map([['linux-arm64', 'a'.repeat(64)]]) }
  const outcomes = await Promise.allSettled([fetch(plugin), fetch(foreign), fetch(other)])
  expect(outcomes).toMatchObject([
    { status: 'fulfilled', value: true },
    { status: 'rejected', reason: { code: 'PLUGIN_SOURCE_REFUSED' } },
    { status: 'rejected', reason: { code: 'PLUGIN_CHECKSUM' } },
  ])
})
