import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create } from 'tar'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { installPlugin, type InstallRequest, type InstallDeps } from './install-plugin.ts'
import { createPluginInstaller } from './plugin-installer.ts'
import type { PluginRequest } from './plugin-address.ts'

const machine = { os: 'linux', arch: 'amd64' }
const archiveName = 'pulumi-resource-thing-v1.2.3-linux-amd64.tar.gz'

let home: string
let archive: Buffer
let address: string
let close: () => Promise<void>
const requests: string[] = []
let respond: (request: IncomingMessage, response: ServerResponse) => void
const messages: string[] = []

/** Creates an archive of files, by name. */
async function packFiles(files: Record<string, string>): Promise<Buffer> {
  const folder = mkdtempSync(join(home, 'packed-'))
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder, name), text, { mode: 0o755 })
  const chunks: Buffer[] = []
  for await (const chunk of create({ cwd: folder, gzip: true }, Object.keys(files)))
    chunks.push(chunk)
  return Buffer.concat(chunks)
}

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'antichain-install-'))
  requests.length = 0
  messages.length = 0
  archive = await packFiles({ 'pulumi-resource-thing': '#!/bin/sh\necho 1\n', README: 'x' })
  respond = (_request, response) => void response.end(archive)
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    respond(request, response)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  close = () => new Promise(done => void (server.closeAllConnections(), server.close(() => done())))
})

afterEach(async () => {
  await close()
  rmSync(home, { recursive: true, force: true })
})

const createDeps = (fields: Partial<InstallDeps> = {}): InstallDeps => ({
  fetch,
  env: {},
  machine,
  version: '3.0.0',
  pause: () => Promise.resolve(),
  report: (severity, text) => void messages.push(`${severity} ${text}`),
  git: () => Promise.resolve({ stdout: '', stderr: 'no git here', code: null }),
  cache: join(home, 'plugins'),
  installDependencies: () => Promise.resolve(),
  ...fields,
})

const createRequest = (fields: Partial<PluginRequest> = {}): PluginRequest => ({
  kind: 'resource',
  name: 'thing',
  version: '1.2.3',
  downloadUrl: address,
  checksums: new Map(),
  ...fields,
})

const install = (
  fields: Partial<PluginRequest> = {},
  request: Partial<InstallRequest> = {},
  deps = createDeps(),
) => installPlugin({ plugin: createRequest(fields), ...request }, deps)

const checksumOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const listInstalled = (): readonly string[] =>
  existsSync(join(home, 'plugins'))
    ? readdirSync(join(home, 'plugins')).filter(name => !name.endsWith('.lock'))
    : []

describe('a plugin is installed', () => {
  test('from its address, into the folder where Pulumi searches for it', async () => {
    expect(await install({ downloadUrl: `${address}/\${NAME}/\${VERSION}/` })).toBe('1.2.3')
    expect(requests).toEqual([`/thing/1.2.3/${archiveName}`])
    expect(listInstalled()).toEqual(['resource-thing-v1.2.3'])
    const folder = join(home, 'plugins', 'resource-thing-v1.2.3')
    expect(readdirSync(folder).sort()).toEqual(['README', 'pulumi-resource-thing'])
    expect(readFileSync(join(folder, 'pulumi-resource-thing'), 'utf8')).toContain('echo 1')
  })

  test('once: an installed plugin is downloaded again on request only', async () => {
    await install()
    await install()
    expect(requests).toHaveLength(1)
    await install({}, { isForced: true })
    expect(requests).toHaveLength(2)
  })

  test('again after an interrupted installation', async () => {
    const folder = join(home, 'plugins', 'resource-thing-v1.2.3')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'half'), '')
    writeFileSync(`${folder}.partial`, '')
    await install()
    expect(readdirSync(folder)).not.toContain('half')
    expect(listInstalled()).toEqual(['resource-thing-v1.2.3'])
  })

  test('once by concurrent calls', async () => {
    await Promise.all(
      Array.from({ length: 8 }, () =>
        install({}, {}, createDeps({ pause: ms => new Promise(done => setTimeout(done, ms)) })),
      ),
    )
    expect(requests).toHaveLength(1)
    expect(listInstalled()).toEqual(['resource-thing-v1.2.3'])
  })

  test('once by three processes', async () => {
    const module = join(import.meta.dirname, 'install-plugin.ts')
    const script = `
      const { installPlugin } = await import(${JSON.stringify(module)})
      await installPlugin({ plugin: { kind: 'resource', name: 'thing', version: '1.2.3',
        downloadUrl: ${JSON.stringify(address)}, checksums: new Map() } }, {
        fetch, env: {}, machine: ${JSON.stringify(machine)}, version: '3.0.0', report() {},
        pause: ms => new Promise(done => setTimeout(done, ms)),
        cache: ${JSON.stringify(join(home, 'plugins'))}, installDependencies: async () => {} })`
    respond = (_request, response) => void setTimeout(() => response.end(archive), 300)
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script]
    const codes = [1, 2, 3].map(
      () =>
        new Promise<number | null>(done =>
          spawn(process.execPath, args, { stdio: 'inherit' }).on('exit', done),
        ),
    )
    expect(await Promise.all(codes)).toEqual([0, 0, 0])
    expect(requests).toHaveLength(1)
    expect(listInstalled()).toEqual(['resource-thing-v1.2.3'])
  }, 60_000)

  test('when its checksum matches', async () => {
    await install({
      checksums: new Map([
        ['linux-amd64', checksumOf(archive)],
        ['darwin-arm64', 'ff'],
      ]),
    })
    expect(listInstalled()).toEqual(['resource-thing-v1.2.3'])
  })

  test('after failed attempts, each of which is reported', async () => {
    respond = (_request, response) => {
      if (requests.length === 1) response.writeHead(500).end()
      else if (requests.length === 2) {
        response.writeHead(200, { 'content-length': archive.length })
        response.write(archive.subarray(0, 10))
        response.destroy()
      } else response.end(archive)
    }
    await install()
    expect(requests).toHaveLength(3)
    expect(messages.filter(line => line.startsWith('warning'))).toEqual([
      expect.stringContaining('500 HTTP error fetching plugin'),
      expect.stringContaining('[2/5]'),
    ])
  })

  test('from a file, a folder or an archive', async () => {
    writeFileSync(join(home, 'binary'), 'x')
    mkdirSync(join(home, 'source'))
    writeFileSync(join(home, 'source', 'PulumiPlugin.yaml'), 'runtime: nodejs')
    writeFileSync(join(home, 'packed.tar.gz'), archive)
    await install({ version: '1.0.0' }, { sourcePath: join(home, 'binary') })
    await install({ version: '2.0.0' }, { sourcePath: join(home, 'source') })
    await install({ version: '3.0.0' }, { sourcePath: join(home, 'packed.tar.gz') })
    const files = [1, 2, 3].map(n =>
      readdirSync(join(home, 'plugins', `resource-thing-v${n}.0.0`)).sort(),
    )
    expect(files).toEqual([
      ['pulumi-resource-thing'],
      ['PulumiPlugin.yaml'],
      ['README', 'pulumi-resource-thing'],
    ])
    expect(requests).toEqual([])
  })
})

describe('no plugin is installed', () => {
  afterEach(() => expect(listInstalled()).toEqual([]))

  test('when its checksum differs, without a retry', async () => {
    const checksums = new Map([['linux-amd64', 'ab'.repeat(32)]])
    await expect(install({ checksums })).rejects.toMatchObject({
      code: 'PLUGIN_CHECKSUM',
      message: `resource plugin thing 1.2.3: invalid checksum, expected ${'ab'.repeat(32)}, actual ${checksumOf(archive)}`,
    })
    expect(requests).toHaveLength(1)
  })

  test.each([404, 403])('when the server refuses with %i, without a retry', async status => {
    respond = (_request, response) => void response.writeHead(status).end()
    await expect(install()).rejects.toMatchObject({
      code: 'PLUGIN_DOWNLOAD',
      message: expect.stringContaining(`${status} HTTP error fetching plugin from ${address}`),
    })
    expect(requests).toHaveLength(1)
  })

  test('after five failed attempts', async () => {
    respond = (_request, response) => void response.writeHead(502).end()
    await expect(install()).rejects.toMatchObject({ code: 'PLUGIN_DOWNLOAD' })
    expect(requests).toHaveLength(5)
  })

  test('from a file that is not an archive', async () => {
    archive = Buffer.from('<html>not here</html>')
    await expect(install()).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE' })
  })

  test('from an archive with entries outside of its folder', async () => {
    const folder = mkdtempSync(join(home, 'evil-'))
    writeFileSync(join(home, 'outside'), 'x')
    const chunks: Buffer[] = []
    const options = { cwd: folder, gzip: true, preservePaths: true }
    for await (const chunk of create(options, ['../outside'])) chunks.push(chunk)
    archive = Buffer.concat(chunks)
    rmSync(join(home, 'outside'))
    await expect(install()).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE' })
    expect(existsSync(join(home, 'plugins', 'outside'))).toBe(false)
    expect(existsSync(join(home, 'outside'))).toBe(false)
  })

  test('when its dependencies cannot be installed', async () => {
    const failing = createDeps({
      installDependencies: () => Promise.reject(new Error('npm is not there')),
    })
    await expect(install({}, {}, failing)).rejects.toThrow('npm is not there')
  })

  test('when automatic acquisition is disabled', async () => {
    const env = { PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true' }
    expect(
      await createPluginInstaller(createDeps({ env }))({ ...createRequest(), kind: 'resource' }),
    ).toBe(false)
    expect(requests).toEqual([])
  })
})

describe('a repository of plugins', () => {
  /**
   * Creates a `fetch` with a page, or the status of a refusal, for each address. It records the
   * addresses with their tokens.
   */
  const createFetch =
    (pages: Record<string, string | number | Uint8Array>, addresses: string[]): typeof fetch =>
    async (url, init) => {
      const address = url instanceof Request ? url.url : url.toString()
      const headers = new Headers(init?.headers)
      addresses.push(`${address} ${headers.get('authorization') ?? ''}`.trim())
      const page = pages[address] ?? 404
      if (typeof page === 'number') return new Response('', { status: page })
      return new Response(typeof page === 'string' ? page : Buffer.from(page))
    }
  const api = 'https://api.github.com/repos'
  const printRelease = (url: string): string =>
    JSON.stringify({ tag_name: 'v1.2.3', assets: [{ name: archiveName, url }] })

  test.each([
    [
      'a release of Pulumi at GitHub, without the API',
      '',
      {
        [`https://github.com/pulumi/pulumi-thing/releases/download/v1.2.3/${archiveName}`]:
          'archive',
      },
      1,
    ],
    [
      'a release of Pulumi at GitHub, through the API',
      '',
      { [`${api}/pulumi/pulumi-thing/releases/tags/v1.2.3`]: 'release', 'https://a/1': 'archive' },
      3,
    ],
    [
      'get.pulumi.com',
      '',
      { [`https://get.pulumi.com/releases/plugins/${archiveName}`]: 'archive' },
      3,
    ],
    [
      'a release of another owner at GitHub',
      'github://api.github.com/me/mine',
      { [`${api}/me/mine/releases/tags/v1.2.3`]: 'release', 'https://a/1': 'archive' },
      2,
    ],
    [
      'a release at GitLab',
      'gitlab://gitlab.com/42',
      {
        [`https://gitlab.com/api/v4/projects/42/releases/v1.2.3/downloads/${archiveName}`]:
          'archive',
      },
      1,
    ],
  ])('a plugin is downloaded from its source: %s', async (_name, downloadUrl, pages, calls) => {
    const addresses: string[] = []
    const served = Object.fromEntries(
      Object.entries(pages).map(([url, kind]) => [
        url,
        kind === 'archive' ? new Uint8Array(archive) : printRelease('https://a/1'),
      ]),
    )
    await install({ downloadUrl }, {}, createDeps({ fetch: createFetch(served, addresses) }))
    expect(addresses).toHaveLength(calls)
    expect(listInstalled()).toEqual(['resource-thing-v1.2.3'])
  })

  test('the latest version is that of the newest release', async () => {
    const addresses: string[] = []
    const pages = {
      [`${api}/me/mine/releases/latest`]: printRelease('https://a/1'),
      [`${api}/me/mine/releases/tags/v1.2.3`]: printRelease('https://a/1'),
      'https://a/1': new Uint8Array(archive),
    }
    const deps = createDeps({ fetch: createFetch(pages, addresses) })
    const downloadUrl = 'github://api.github.com/me/mine'
    expect(await install({ downloadUrl, version: '' }, {}, deps)).toBe('1.2.3')
  })

  test('a plain server has no latest version', async () => {
    await expect(install({ version: '' })).rejects.toMatchObject({ code: 'PLUGIN_ADDRESS' })
  })

  test.each([
    ['the server does not respond', () => Promise.reject(new TypeError('fetch failed'))],
    ['the response is not a release', () => Promise.resolve(new Response('<html>'))],
  ])('the latest version is unknown when %s', async (_name, fetch) => {
    const downloadUrl = 'github://api.github.com/me/mine'
    const failing = install({ downloadUrl, version: '' }, {}, createDeps({ fetch }))
    await expect(failing).rejects.toMatchObject({
      code: 'PLUGIN_DOWNLOAD',
      message: expect.stringContaining('the latest version of resource plugin thing is not known'),
    })
  })

  test('the token of GitHub is not sent to GitLab', async () => {
    const addresses: string[] = []
    const latest = 'https://gitlab.com/api/v4/projects/42/releases/permalink/latest'
    const deps = createDeps({
      fetch: createFetch({ [latest]: printRelease('https://a/1') }, addresses),
      env: { GITHUB_TOKEN: 't' },
    })
    const downloadUrl = 'gitlab://gitlab.com/42'
    await expect(install({ downloadUrl, version: '' }, {}, deps)).rejects.toThrow()
    expect(addresses[0]).toBe(latest)
  })

  // Without the token the limit is lower, so a request without it could not succeed.
  test('a rate limit with a token is not followed by a request without the token', async () => {
    const authorizations: (string | null)[] = []
    const headers = { 'x-ratelimit-remaining': '0' }
    const fetchLimited: typeof fetch = async (_url, init) => {
      authorizations.push(new Headers(init?.headers).get('authorization'))
      return new Response('', { status: 403, headers })
    }
    const deps = createDeps({ fetch: fetchLimited, env: { GITHUB_TOKEN: 't' } })
    const downloadUrl = 'github://api.github.com/me/mine'
    const failing = install({ downloadUrl, version: '' }, {}, deps)
    await expect(failing).rejects.toThrow('rate limit exceeded')
    expect(authorizations).toEqual(['token t'])
  })

  test('a token without access to a repository is not sent again', async () => {
    const addresses: string[] = []
    const pages = { [`${api}/me/mine/releases/tags/v1.2.3`]: 401 }
    const deps = createDeps({ fetch: createFetch(pages, addresses), env: { GITHUB_TOKEN: 't' } })
    const failing = install({ downloadUrl: 'github://api.github.com/me/mine' }, {}, deps)
    await expect(failing).rejects.toMatchObject({ code: 'PLUGIN_DOWNLOAD' })
    expect(addresses.slice(0, 2)).toEqual([
      `${api}/me/mine/releases/tags/v1.2.3 token t`,
      `${api}/me/mine/releases/tags/v1.2.3`,
    ])
    expect(listInstalled()).toEqual([])
  })
})
