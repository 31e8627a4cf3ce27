import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OutboundPort } from '../../ports/outbound.ts'
import type { PluginKey, StoredPlugin } from '../../ports/plugins.ts'
import { silentLogger } from '../../platform/system/logger.ts'
import { createRegistryFixture } from '../../providers/terraform/install/registry.fixture.ts'
import { startHttpReceiver } from '../../triggers/outbound/local-receiver.fixture.ts'
import { createOutbound } from '../../triggers/outbound/outbound.ts'
import { type AcquireDeps, createPluginAcquirer } from './acquire-plugin.ts'
import { createPluginFetcher } from './fetch-plugin.ts'

let receiver: Awaited<ReturnType<typeof startHttpReceiver>>
let scratch = ''
/** The archives of the store, by key. */
const stored = new Map<string, StoredPlugin>()
const textOf = (key: PluginKey): string => JSON.stringify(key)

beforeAll(async () => {
  receiver = await startHttpReceiver()
  scratch = mkdtempSync(join(tmpdir(), 'antichain-acquire-'))
})
afterAll(() => {
  receiver.close()
  rmSync(scratch, { recursive: true })
})
beforeEach(() => {
  stored.clear()
  receiver.received.length = 0
  receiver.state.answer = () => ({ status: 200, body: 'the archive' })
})

const store = {
  get: async (key: PluginKey) => stored.get(textOf(key)),
  add: async (key: PluginKey, bytes: Uint8Array, source: string) => {
    const earlier = stored.get(textOf(key))
    stored.set(textOf(key), earlier ?? { version: key.version, bytes, source })
    return earlier === undefined || Buffer.compare(earlier.bytes, bytes) === 0
  },
}

/** Creates an acquirer whose installation allows these sources. */
function createAcquirer(
  sources: readonly { readonly source: string; readonly credential?: string }[],
  options: Partial<AcquireDeps> = {},
) {
  return createPluginAcquirer({
    store,
    scratch,
    outbound: receiver.outbound,
    logger: silentLogger,
    documents: {
      list: async kind => ({
        documents: sources.map((value, index) => ({
          key: { kind, scope: '*', name: `source-${index}` },
          version: 1,
          value,
        })),
        unreadable: [],
        next: undefined,
      }),
    },
    sealing: { open: async text => `opened ${text}` },
    clock: { now: () => Date.UTC(2026, 5, 1) as never, sleep: async () => undefined },
    os: 'linux',
    arch: 'arm64',
    ...options,
  })
}

const gold = () => ({
  kind: 'resource',
  name: 'gold',
  version: '1.2.3',
  downloadUrl: `${receiver.origin}/plugins`,
})
const keyOfGold = { kind: 'resource', name: 'gold', version: '1.2.3', os: 'linux', arch: 'arm64' }
const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex')

describe('a plugin that the store does not have', () => {
  test('is downloaded for the platform of the functions, and stored with its source', async () => {
    const source = `${receiver.origin}/plugins/*`
    expect(await createAcquirer([{ source }])(gold())).toBe('1.2.3')
    expect(receiver.received.map(({ url }) => url)).toEqual([
      '/plugins/pulumi-resource-gold-v1.2.3-linux-arm64.tar.gz',
    ])
    expect(stored.get(textOf(keyOfGold))).toMatchObject({
      bytes: Buffer.from('the archive'),
      source: `${receiver.origin}/plugins/gold`,
    })
    expect(readdirSync(scratch)).toEqual([])
  })

  test.each([[[]], [['acme/*']], [['pulumi/silver']]])(
    'is refused without a request when only %j is allowed, and the error names the command',
    async sources => {
      const acquire = createAcquirer(sources.map(source => ({ source })))
      await expect(acquire({ ...gold(), downloadUrl: '' })).rejects.toMatchObject({
        code: 'PLUGIN_SOURCE_REFUSED',
        message: expect.stringContaining("antichain plugin allow 'pulumi/gold'"),
      })
      expect(receiver.received).toEqual([])
    },
  )

  test('with another checksum than the program requires is not stored', async () => {
    const acquire = createAcquirer([{ source: `${receiver.origin}/plugins/gold` }])
    const checksums = new Map([['linux-arm64', sha256Of('another archive')]])
    await expect(acquire({ ...gold(), checksums })).rejects.toMatchObject({
      code: 'PLUGIN_CHECKSUM',
    })
    expect(stored.size).toBe(0)
    checksums.set('linux-arm64', sha256Of('the archive'))
    expect(await acquire({ ...gold(), checksums })).toBe('1.2.3')
  })

  test('is refused when the version was stored with other bytes, which remain', async () => {
    const acquire = createAcquirer([{ source: `${receiver.origin}/plugins/gold` }])
    await Promise.all([acquire(gold()), acquire(gold())])
    receiver.state.answer = () => ({ status: 200, body: 'other bytes' })
    await expect(acquire(gold())).rejects.toMatchObject({ code: 'PLUGIN_TAKEN' })
    expect(stored.get(textOf(keyOfGold))?.bytes).toEqual(Buffer.from('the archive'))
  })

  test('is not requested from a private address, not even after a redirect', async () => {
    const acquire = createAcquirer([{ source: `${receiver.origin}/plugins/gold` }])
    receiver.state.answer = () => ({ status: 302, headers: { location: 'http://10.0.0.1/x' } })
    const outbound = createOutbound({ allowedNetworks: ['127.0.0.1/32'], isHttpAllowed: true })
    const refused = createAcquirer([{ source: `${receiver.origin}/plugins/gold` }], { outbound })
    for (const attempt of [acquire, refused])
      await expect(attempt(gold())).rejects.toMatchObject({
        code: 'PLUGIN_DOWNLOAD',
        message: expect.stringContaining('not allowed'),
      })
    expect(receiver.received).toHaveLength(2)
  })

  test('is refused before its bytes are read when its size is above the limit', async () => {
    receiver.state.answer = () => ({ status: 200, headers: { 'content-length': '300000000' } })
    const acquire = createAcquirer([{ source: `${receiver.origin}/plugins/gold` }])
    await expect(acquire(gold())).rejects.toMatchObject({ code: 'PLUGIN_TOO_LARGE' })
  })

  test('of a private source is requested with its credential, which another origin does not get', async () => {
    const source = `${receiver.origin}/plugins/*`
    const other = `http://other.test:${receiver.port}/file`
    receiver.state.answer = ({ url }) =>
      url === '/file'
        ? { status: 200, body: 'the archive' }
        : { status: 302, headers: { location: other } }
    await createAcquirer([{ source, credential: 'sealed' }])(gold())
    expect(receiver.received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer opened sealed',
      undefined,
    ])
  })

  test('from a Git repository is refused, because functions do not build plugins', async () => {
    const acquire = createAcquirer([{ source: 'git://x/**' }])
    await expect(
      acquire({ ...gold(), downloadUrl: 'git://github.com/acme/gold' }),
    ).rejects.toMatchObject({ code: 'PLUGIN_ADDRESS' })
  })
})

describe('a Terraform provider that the store does not have', () => {
  /** Calls a registry in memory. */
  const openRegistry = () => {
    const executable = Buffer.from('#!/bin/sh\n')
    const platforms = ['linux_arm64']
    const registry = createRegistryFixture('thing', [
      ...['1.0.0', '1.2.0'].map(version => ({ version, executable, platforms })),
    ])
    const outbound: OutboundPort = {
      call: async ({ url, headers }, readResponse) => {
        const { status, body } = registry.respond(new URL(url).pathname, {
          authorization: headers['authorization'],
        })
        const chunks = [body]
        return readResponse({
          status,
          headers: new Map(),
          body: (async function* () {
            yield* chunks
          })(),
        })
      },
    }
    return { registry, outbound }
  }
  const thing = {
    kind: 'terraform',
    name: 'registry.example.com/golden/thing',
    version: '',
    downloadUrl: '',
  }

  test('is downloaded from its registry after its signature was verified', async () => {
    const { registry, outbound } = openRegistry()
    registry.faults.token = 'opened sealed'
    const sources = [{ source: 'registry.example.com/golden/*', credential: 'sealed' }]
    expect(await createAcquirer(sources, { outbound })(thing)).toBe('1.2.0')
    const name = 'registry.example.com.golden.thing'
    const key = { kind: 'terraform', name, version: '1.2.0', os: 'linux', arch: 'arm64' }
    expect(stored.get(textOf(key))?.bytes).toEqual(registry.zipOf('1.2.0'))
  })

  test('with other bytes than its registry lists is not stored', async () => {
    const { registry, outbound } = openRegistry()
    registry.faults.package = Buffer.from('other bytes')
    const acquire = createAcquirer([{ source: 'registry.example.com/golden/*' }], { outbound })
    await expect(acquire(thing)).rejects.toMatchObject({ code: 'TERRAFORM_CHECKSUM' })
    expect(stored.size).toBe(0)
  })
})

test('an archive of one source is not used for the same plugin of another source', async () => {
  await createAcquirer([{ source: `${receiver.origin}/plugins/*` }])(gold())
  const fetch = createPluginFetcher(store, { home: scratch, os: 'linux', arch: 'arm64' })
  await expect(fetch({ ...gold(), downloadUrl: '' })).rejects.toMatchObject({
    code: 'PLUGIN_SOURCE_REFUSED',
    message: expect.stringContaining('needs it from pulumi/gold'),
  })
  const checksums = new Map([['linux-arm64', sha256Of('another archive')]])
  await expect(fetch({ ...gold(), checksums })).rejects.toMatchObject({ code: 'PLUGIN_CHECKSUM' })
})
