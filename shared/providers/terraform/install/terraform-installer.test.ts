import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createInstallerFixture, fixtureHost, type InstallerFixture } from './installer.fixture.ts'
import { createSigningKey } from './openpgp/signing-key.fixture.ts'
import { hashFolder } from './package-hashes.ts'

const source = `${fixtureHost}/golden/thing`
let rig: InstallerFixture

beforeEach(() => {
  rig = createInstallerFixture()
})

afterEach(() => rig.close())

/** Writes an unpacked package in the folder layout of Terraform's filesystem mirrors. */
function writePackage(root: string, version: string): string {
  const folder = join(root, source, version, 'linux_amd64')
  mkdirSync(folder, { recursive: true })
  const executable = join(folder, `terraform-provider-thing_v${version}`)
  writeFileSync(executable, '#!/bin/sh\n')
  chmodSync(executable, 0o755)
  return executable
}

function writeSettings(text: string): { readonly env: Readonly<Record<string, string>> } {
  const file = join(rig.home, 'settings.tfrc')
  writeFileSync(file, text)
  return { env: { TF_CLI_CONFIG_FILE: file } }
}

describe('an installation from a registry', () => {
  test('chooses the newest version, verifies it and unpacks it into the cache', async () => {
    const binary = await rig.obtain(source, '~> 1.0')
    expect(binary).toEqual({
      path: join(rig.cacheFolder, source, '1.2.0/linux_amd64/terraform-provider-thing_v1.2.0_x5'),
      version: '1.2.0',
      source,
      providerName: 'thing',
    })
    expect(execFileSync(binary.path, { encoding: 'utf8' })).toBe('1.2.0\n')
    expect(readdirSync(rig.cacheFolder)).toEqual([fixtureHost])
    expect(existsSync(rig.lockFile)).toBe(false)
  })

  test('happens once: a later call finds the package in the cache, without any request', async () => {
    await rig.obtain(source, '1.2.0')
    const requestCount = rig.registry.requests.length
    expect((await rig.obtain(source, '>= 1.0')).version).toBe('1.2.0')
    expect(rig.registry.requests).toHaveLength(requestCount)
  })

  test('takes a pre-release only by its exact version', async () => {
    expect((await rig.obtain(source, '2.0.0-beta1')).version).toBe('2.0.0-beta1')
    await expect(rig.obtain(source, '>= 1.5')).rejects.toMatchObject({
      code: 'TERRAFORM_VERSION_MISSING',
      message: expect.stringContaining('1.0.0, 1.2.0, 2.0.0-beta1'),
    })
  })

  test('refuses an unknown provider, an unknown version and another platform', async () => {
    await expect(rig.obtain(`${fixtureHost}/golden/other`, '1.0.0')).rejects.toMatchObject({
      code: 'TERRAFORM_PROVIDER_UNKNOWN',
    })
    await expect(rig.obtain(source, '3.0.0')).rejects.toMatchObject({
      code: 'TERRAFORM_VERSION_MISSING',
    })
    await expect(
      rig.obtain(source, '1.0.0', { platform: { os: 'plan9', arch: 'arm' } }),
    ).rejects.toMatchObject({
      code: 'TERRAFORM_PLATFORM_UNSUPPORTED',
      message: `${source} 1.0.0 has no package for plan9 arm`,
    })
  })

  test('refuses a package that does not match its checksum, and leaves no files', async () => {
    rig.registry.faults.package = Buffer.from('another package')
    await expect(rig.obtain(source, '1.0.0')).rejects.toMatchObject({ code: 'TERRAFORM_CHECKSUM' })
    expect(readdirSync(join(rig.cacheFolder, source, '1.0.0'))).toEqual(['linux_amd64.lock'])
    expect(readdirSync(rig.cacheFolder)).toEqual([fixtureHost])
  })

  test('refuses a checksum file that differs from the checksum in the description of the package', async () => {
    rig.registry.faults.hasOtherChecksums = true
    await expect(rig.obtain(source, '1.0.0')).rejects.toMatchObject({ code: 'TERRAFORM_CHECKSUM' })
  })

  test('refuses checksums that another key signed, before it downloads the package', async () => {
    rig.registry.faults.signingKey = createSigningKey()
    await expect(rig.obtain(source, '1.0.0')).rejects.toMatchObject({ code: 'TERRAFORM_SIGNATURE' })
    expect(rig.registry.requests.filter(path => path.endsWith('.zip'))).toEqual([])
  })

  test('refuses a registry without keys', async () => {
    rig.registry.faults.publicKeys = []
    await expect(rig.obtain(source, '1.0.0')).rejects.toMatchObject({ code: 'TERRAFORM_SIGNATURE' })
  })

  test('accepts a signature of an expired key with a warning, unless the environment forbids it', async () => {
    const key = createSigningKey({ lifetimeSeconds: 60 })
    rig.registry.faults.signingKey = key
    rig.registry.faults.publicKeys = [key.armoredKey]
    const env = { OPENTOFU_ENFORCE_GPG_EXPIRATION: 'true' }
    await expect(rig.obtain(source, '1.0.0', { env })).rejects.toMatchObject({
      code: 'TERRAFORM_SIGNATURE',
    })
    await rig.obtain(source, '1.0.0')
    expect(rig.messages.join()).toContain('has expired')
  })

  test('refuses a package that has none of its listed hashes', async () => {
    rig.registry.faults.packageHashes = ['zh:00', 'h1:AAAA']
    await expect(rig.obtain(source, '1.0.0')).rejects.toMatchObject({ code: 'TERRAFORM_CHECKSUM' })
  })

  test('refuses a version that has only older protocols', async () => {
    rig.registry.faults.protocols = ['4.0']
    await expect(rig.obtain(source, '1.0.0')).rejects.toMatchObject({
      code: 'TERRAFORM_PLATFORM_UNSUPPORTED',
      message: expect.stringContaining('protocols 4.0'),
    })
  })

  test('sends the token of the host, and reports a missing one', async () => {
    rig.registry.faults.token = 'secret'
    await expect(rig.obtain(source, '1.0.0')).rejects.toMatchObject({
      code: 'TERRAFORM_CREDENTIALS',
      message: 'the registry registry.example.com requires a token',
    })
    const env = { TF_TOKEN_registry_example_com: 'secret' }
    expect((await rig.obtain(source, '1.0.0', { env })).version).toBe('1.0.0')
  })

  test('reports a host that cannot be reached after five attempts', async () => {
    await expect(rig.obtain('nowhere.example.com/a/b', '1.0.0')).rejects.toMatchObject({
      code: 'TERRAFORM_REGISTRY_UNREACHABLE',
    })
    expect(rig.messages).toHaveLength(4)
  })

  test('does not happen when automatic installation is disabled', async () => {
    await expect(rig.obtain(source, '1.0.0', { mayDownload: false })).rejects.toMatchObject({
      code: 'PLUGIN_MISSING',
    })
    await rig.obtain(source, '1.0.0')
    expect((await rig.obtain(source, '1.0.0', { mayDownload: false })).version).toBe('1.0.0')
  })
})

describe('a requested provider', () => {
  test('comes from an implied folder, although the registry has a newer version', async () => {
    const executable = writePackage(join(rig.home, '.terraform.d/plugins'), '1.1.0')
    expect(await rig.obtain(source, '>= 1.0')).toMatchObject({ path: executable })
    expect(rig.registry.requests).toEqual([])
  })

  test('comes from the registry when the implied folder has no package of it', async () => {
    mkdirSync(join(rig.home, '.terraform.d/plugins', source), { recursive: true })
    expect((await rig.obtain(source, '1.0.0')).version).toBe('1.0.0')
  })

  test('comes from a packed filesystem mirror, and is unpacked into the cache', async () => {
    const mirror = join(rig.home, 'mirror')
    mkdirSync(join(mirror, source), { recursive: true })
    const name = 'terraform-provider-thing_1.0.0_linux_amd64.zip'
    writeFileSync(join(mirror, source, name), rig.registry.zipOf('1.0.0'))
    const settings = writeSettings(
      `provider_installation { filesystem_mirror { path = "${mirror}" } }`,
    )
    const binary = await rig.obtain(source, '1.0.0', settings)
    expect(execFileSync(binary.path, { encoding: 'utf8' })).toBe('1.0.0\n')
    expect(rig.registry.requests).toEqual([])
    await expect(rig.obtain(source, '1.2.0', settings)).rejects.toMatchObject({
      code: 'TERRAFORM_VERSION_MISSING',
    })
  })

  test("comes from Terraform's own cache", async () => {
    const executable = writePackage(join(rig.home, 'shared-cache'), '1.1.0')
    const env = { TF_PLUGIN_CACHE_DIR: '$HOME/shared-cache' }
    expect(await rig.obtain(source, '~> 1.1.0', { env })).toMatchObject({ path: executable })
  })

  test('is unknown if the patterns of the only method exclude it', async () => {
    const settings = writeSettings('provider_installation { direct { exclude = ["*/*/*"] } }')
    await expect(rig.obtain(source, '1.0.0', settings)).rejects.toMatchObject({
      code: 'TERRAFORM_PROVIDER_UNKNOWN',
      message: expect.stringContaining('provider_installation'),
    })
  })

  test('comes from a network mirror, whose hashes are compared', async () => {
    const mirror = 'https://mirror.example.com/tf/'
    const settings = writeSettings(
      `provider_installation {
        network_mirror { url = "${mirror}" }
      }`,
    )
    const createArchiveList = (hash: string): Buffer =>
      Buffer.from(JSON.stringify({ archives: { linux_amd64: { url: '1.zip', hashes: [hash] } } }))
    const base = `${mirror}${source}/`
    const index = Buffer.from('{"versions":{"1.0.0":{}}}')
    rig.responses.set(`${base}index.json`, { status: 200, body: index })
    rig.responses.set(`${base}1.0.0.json`, { status: 200, body: createArchiveList('h1:AAAA') })
    rig.responses.set(`${base}1.zip`, { status: 200, body: rig.registry.zipOf('1.0.0') })
    await expect(rig.obtain(source, '>= 1.0', settings)).rejects.toMatchObject({
      code: 'TERRAFORM_CHECKSUM',
    })
    const { path } = await rig.obtain(source, '1.0.0')
    const hash = await hashFolder(join(path, '..'))
    rmSync(rig.cacheFolder, { recursive: true })
    rig.responses.set(`${base}1.0.0.json`, { status: 200, body: createArchiveList(hash) })
    expect((await rig.obtain(source, '>= 1.0', settings)).version).toBe('1.0.0')
  })

  test('comes from a folder of dev_overrides, without any checks', async () => {
    const folder = join(rig.home, 'built')
    mkdirSync(folder)
    const executable = join(folder, 'terraform-provider-thing')
    writeFileSync(executable, '#!/bin/sh\n', { mode: 0o755 })
    const settings = writeSettings(
      `provider_installation { dev_overrides { "${source}" = "${folder}" } direct {} }`,
    )
    expect(await rig.obtain(source, '', settings)).toMatchObject({
      path: executable,
      version: '0.0.0',
    })
    expect(rig.messages.join()).toContain('dev_overrides')
  })

  test('is attached when the user has started it', async () => {
    const entry = { Protocol: 'grpc', Addr: { Network: 'unix', String: '/tmp/socket' } }
    const env = { TF_REATTACH_PROVIDERS: JSON.stringify({ [source]: entry }) }
    expect(await rig.obtain(source, '1.0.0', { env })).toMatchObject({ version: '1.0.0' })
    expect(rig.registry.requests).toEqual([])
  })
})

describe('a provider in the store of an installation', () => {
  test('is fetched into the cache, without any request to a registry', async () => {
    const fetched: string[] = []
    const fetchStored = (_address: unknown, version: string): Promise<boolean> => {
      fetched.push(version)
      if (version === '3.0.0') return Promise.resolve(false)
      writePackage(rig.cacheFolder, '1.1.0')
      return Promise.resolve(true)
    }
    expect((await rig.obtain(source, '1.1.0', { fetchStored })).version).toBe('1.1.0')
    await expect(rig.obtain(source, '3.0.0', { fetchStored })).rejects.toMatchObject({
      code: 'PLUGIN_MISSING',
      message: expect.stringContaining("meets '3.0.0' for linux amd64"),
    })
    expect([fetched, rig.registry.requests]).toEqual([['1.1.0', '3.0.0'], []])
  })
})

describe('a lock file', () => {
  const readLock = (): string => readFileSync(rig.lockFile, 'utf8')

  test('is created on request, and fixes the version of later requests', async () => {
    await rig.obtain(source, '1.0.0', { updatesLock: true })
    expect(readLock()).toContain('version     = "1.0.0"')
    expect(readLock().match(/"(?:zh|h1):/g)).toEqual(['"h1:', '"zh:'])
    rmSync(rig.cacheFolder, { recursive: true })
    expect((await rig.obtain(source, '>= 1.0')).version).toBe('1.0.0')
    await expect(rig.obtain(source, '1.2.0')).rejects.toMatchObject({
      code: 'TERRAFORM_LOCK_MISMATCH',
    })
    await rig.obtain(source, '1.2.0', { updatesLock: true })
    expect(readLock()).toContain('version     = "1.2.0"')
  })

  test('is extended when it exists', async () => {
    writeFileSync(rig.lockFile, '# kept\n')
    await rig.obtain(source, '1.0.0')
    expect(readLock()).toContain(`# kept\n\nprovider "${source}" {`)
  })

  test('that cannot be written is only reported, unless its update is requested', async () => {
    writeFileSync(rig.lockFile, '')
    // The temporary file cannot be created, because a folder has its name.
    mkdirSync(`${rig.lockFile}.${process.pid}`)
    expect((await rig.obtain(source, '1.0.0')).version).toBe('1.0.0')
    expect(rig.messages.join()).toContain(`cannot record ${source}`)
    const obtaining = rig.obtain(source, '1.0.0', { updatesLock: true })
    await expect(obtaining).rejects.toThrow('EISDIR')
  })

  test('refuses a package with other hashes, and keeps the installed one', async () => {
    const lock = `provider "${source}" {\n  version = "1.0.0"\n  hashes = ["zh:00", "h1:AAAA"]\n}\n`
    const { path } = await rig.obtain(source, '1.0.0')
    writeFileSync(rig.lockFile, lock)
    await expect(rig.obtain(source, '1.0.0')).rejects.toMatchObject({
      code: 'TERRAFORM_LOCK_MISMATCH',
    })
    expect(existsSync(path)).toBe(true)
    expect(readLock()).toBe(lock)
  })
})
