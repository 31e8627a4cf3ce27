import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Header } from 'tar'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type ArchiveLimits,
  exchangeToken,
  fetchRepositoryArchive,
  readRepositoryArchive,
} from './repository-archive.ts'
import { startHttpReceiver } from './local-receiver.fixture.ts'

const commit = 'b'.repeat(40)
let receiver: Awaited<ReturnType<typeof startHttpReceiver>>
let home = ''
let folder = ''
beforeAll(async () => {
  receiver = await startHttpReceiver()
})
afterAll(() => receiver.close())
beforeEach(() => {
  if (home !== '') rmSync(home, { recursive: true, force: true })
  home = mkdtempSync(join(tmpdir(), 'antichain-archive-'))
  folder = join(home, 'program')
  mkdirSync(folder)
  writeFileSync(join(home, 'outside'), 'untouched')
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

interface Entry {
  readonly path: string
  readonly type?: 'File' | 'Directory' | 'SymbolicLink' | 'Link' | 'FIFO' | 'CharacterDevice'
  readonly linkpath?: string
  readonly content?: string
  readonly mode?: number
}

/** Creates a packed archive with entries that no regular tool would write. */
function packEntries(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(({ path, type = 'File', linkpath = '', content = '', mode }) => {
    const bytes = Buffer.from(content)
    const header = new Header({ path, type, linkpath, size: bytes.length, mode: mode ?? 0o644 })
    const block = Buffer.alloc(512)
    header.encode(block, 0)
    return [block, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]
  })
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]))
}

function serveBody(body: Buffer, status = 200): void {
  receiver.state.answer = () => ({ status, body })
}

const fetchArchive = (limits: ArchiveLimits = {}, token?: string): Promise<void> =>
  fetchRepositoryArchive(
    receiver.outbound,
    {
      repository: 'acme/shop',
      commit,
      apiUrl: receiver.origin,
      ...(token === undefined ? {} : { token }),
    },
    { folder, limits },
  )

const invalid = { code: 'ARCHIVE_INVALID' }
const tooLarge = { code: 'ARCHIVE_TOO_LARGE' }
const good: readonly Entry[] = [
  { path: 'acme-shop-b/', type: 'Directory', mode: 0o755 },
  { path: 'acme-shop-b/index.ts', content: 'hello' },
  { path: 'acme-shop-b/bin/run', content: '#!', mode: 0o4755 },
  { path: 'acme-shop-b/bin/link', type: 'SymbolicLink', linkpath: '../index.ts' },
  { path: 'acme-shop-b/..dots', content: 'dots' },
]

describe('the archive of a repository', () => {
  test('is fetched with the credential and unpacked without its outer folder', async () => {
    serveBody(packEntries(good))
    await fetchArchive({}, 'the-token')
    expect(receiver.received.at(-1)).toMatchObject({
      url: `/repos/acme/shop/tarball/${commit}`,
      headers: { authorization: 'Bearer the-token' },
    })
    expect(readdirSync(folder).toSorted()).toEqual(['..dots', 'bin', 'index.ts'])
    expect(readFileSync(join(folder, 'bin/link'), 'utf8')).toBe('hello')
    expect(readlinkSync(join(folder, 'bin/link'))).toBe('../index.ts')
    // The file is executable, but without the bits that change the user.
    expect(statSync(join(folder, 'bin/run')).mode & 0o7100).toBe(0o100)
  })

  test('is fetched from the redirect target of GitHub, without the credential', async () => {
    const body = packEntries(good)
    receiver.state.answer = ({ url }) =>
      url.startsWith('/repos/')
        ? { status: 302, headers: { location: `http://code.test:${receiver.port}/x?token=t` } }
        : { status: 200, body }
    await fetchArchive({}, 'the-token')
    expect(receiver.received.at(-1)?.url).toBe('/x?token=t')
    expect(receiver.received.at(-1)?.headers).not.toHaveProperty('authorization')
    expect(existsSync(join(folder, 'index.ts'))).toBe(true)
  })

  test.each<[string, string]>([
    ['a private address', 'http://10.0.0.1/x'],
    ['the metadata of a cloud', 'http://169.254.169.254/latest/'],
    ['a file', 'file:///etc/passwd'],
  ])('is not fetched from %s', async (_name, location) => {
    receiver.state.answer = () => ({ status: 302, headers: { location } })
    await expect(fetchArchive()).rejects.toMatchObject({ code: 'OUTBOUND_REFUSED' })
  })

  test('is not fetched after too many redirects', async () => {
    receiver.state.answer = () => ({ status: 302, headers: { location: '/again' } })
    const count = receiver.received.length
    await expect(fetchArchive()).rejects.toMatchObject({ code: 'OUTBOUND_FAILED' })
    // The first request and three redirects (`archiveRedirectsMax`).
    expect(receiver.received.length - count).toBe(4)
  })

  test.each([401, 403, 404, 500])(
    'is not fetched when the response has the status %i',
    async status => {
      serveBody(Buffer.from(''), status)
      await expect(fetchArchive()).rejects.toMatchObject({
        code: 'OUTBOUND_FAILED',
        details: { status },
      })
    },
  )

  const link = (linkpath: string, path = 'r/a/link'): Entry => ({
    path,
    type: 'SymbolicLink',
    linkpath,
  })
  test.each<[string, readonly Entry[]]>([
    ['a path that leads out', [{ path: 'r/../../outside', content: 'evil' }]],
    ['a path that begins outside', [{ path: '../outside', content: 'evil' }]],
    ['a path with a step up that stays inside', [{ path: 'r/a/../b', content: 'evil' }]],
    ['an absolute path', [{ path: '/tmp/antichain-evil', content: 'evil' }]],
    ['a path with the separators of Windows', [{ path: 'r\\..\\outside', content: 'evil' }]],
    ['a path on a drive of Windows', [{ path: 'C:/x', content: 'evil' }]],
    ['a link that leads out', [link('../../outside')]],
    ['a link to the folder above', [link('..', 'r/link')]],
    ['an absolute link', [link('/etc/passwd')]],
    [
      'a link that leads out through another link',
      [link('..', 'r/a/up'), link('a/up/..', 'r/link')],
    ],
    ['a link without a target', [link('')]],
    [
      'a link that leads out and a file through it',
      [link('../..', 'r/l'), { path: 'r/l/outside' }],
    ],
    ['a hard link that leads out', [{ path: 'r/x', type: 'Link', linkpath: '../outside' }]],
    [
      'a hard link to a file of the archive',
      [{ path: 'r/x', type: 'Link', linkpath: 'r/index.ts' }],
    ],
    ['a pipe', [{ path: 'r/x', type: 'FIFO' }]],
    ['a device', [{ path: 'r/x', type: 'CharacterDevice' }]],
  ])('with %s is refused, and no files are left', async (_name, entries) => {
    serveBody(packEntries([{ path: 'r/index.ts', content: 'x' }, ...entries]))
    await expect(fetchArchive()).rejects.toMatchObject(invalid)
    expect(existsSync(folder)).toBe(false)
    expect(readFileSync(join(home, 'outside'), 'utf8')).toBe('untouched')
    expect(readdirSync(home)).toEqual(['outside'])
    expect(existsSync('/tmp/antichain-evil')).toBe(false)
  })

  test('with a file below an internal link writes nothing outside of the folder', async () => {
    serveBody(
      packEntries([
        { path: 'r/real/', type: 'Directory', mode: 0o755 },
        link('real', 'r/alias'),
        { path: 'r/alias/file', content: 'x' },
      ]),
    )
    await fetchArchive().catch((why: unknown) => expect(why).toMatchObject(invalid))
    expect(readdirSync(home).filter(name => name !== 'program')).toEqual(['outside'])
  })

  test.each<[string, Buffer]>([
    ['no entries', gzipSync(Buffer.alloc(1024))],
    ['no bytes', Buffer.alloc(0)],
    ['text that is not packed', Buffer.from('<html>')],
    ['only the first bytes of an archive', packEntries(good).subarray(0, 100)],
    ['packed text', gzipSync(Buffer.from('x'.repeat(2000)))],
  ])('whose body has %s is refused', async (_name, body) => {
    serveBody(body)
    await expect(fetchArchive()).rejects.toMatchObject(invalid)
    expect(existsSync(folder)).toBe(false)
  })

  test('whose packed size, unpacked size or number of entries is too large is refused', async () => {
    const zeros = packEntries([{ path: 'r/zeros', content: '\0'.repeat(3_000_000) }])
    expect(zeros.length).toBeLessThan(10_000)
    serveBody(zeros)
    await expect(fetchArchive({ unpackedBytesMax: 2_999_999 })).rejects.toMatchObject(tooLarge)
    mkdirSync(folder)
    await expect(fetchArchive({ bytesMax: zeros.length - 1 })).rejects.toMatchObject(tooLarge)
    mkdirSync(folder)
    serveBody(packEntries(good))
    await expect(fetchArchive({ entriesMax: 4 })).rejects.toMatchObject(tooLarge)
    mkdirSync(folder)
    await fetchArchive({ entriesMax: 5, bytesMax: 10_000, unpackedBytesMax: 10_000 })
  })

  test('cannot start a new line of an error message with the name of a file', async () => {
    serveBody(packEntries([{ path: 'r/../x\n\u001b[2Jforged', content: '' }]))
    const thrown = await fetchArchive().catch(String)
    expect(thrown).toContain('\\u{a}\\u{1b}')
    expect(thrown).not.toMatch(/\n|\u001b/)
  })
})

describe('a packed archive', () => {
  const request = { repository: 'acme/shop', commit, token: 'the-token' }
  const read = (limits?: ArchiveLimits) =>
    readRepositoryArchive(receiver.outbound, { ...request, apiUrl: receiver.origin }, limits)

  test('is read with the credential, even after a redirect of the host to itself', async () => {
    receiver.received.length = 0
    const body = packEntries(good)
    receiver.state.answer = ({ url }) =>
      url === '/own' ? { status: 200, body } : { status: 302, headers: { location: '/own' } }
    expect(Buffer.from(await read())).toEqual(body)
    expect(receiver.received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer the-token',
      'Bearer the-token',
    ])
  })

  test('that is too large or that the host refuses is an error', async () => {
    const body = packEntries(good)
    serveBody(body)
    await expect(read({ bytesMax: body.length - 1 })).rejects.toMatchObject(tooLarge)
    expect(await read({ bytesMax: body.length })).toHaveLength(body.length)
    serveBody(body, 403)
    const refusal = { code: 'OUTBOUND_FAILED', details: { status: 403 } }
    await expect(read()).rejects.toMatchObject(refusal)
  })
})

describe('the token of a request', () => {
  const exchange = (token?: string) => {
    const request = { repository: 'acme/shop', commit, apiUrl: receiver.origin }
    return exchangeToken(receiver.outbound, token === undefined ? request : { ...request, token })
  }
  const redirectTo = (location: string) => ({ status: 302, headers: { location } })

  test('is exchanged for the temporary address to which the host redirects', async () => {
    receiver.state.answer = () => redirectTo(`http://code.test:${receiver.port}/x?token=t`)
    expect(await exchange('the-token')).toEqual({
      repository: 'acme/shop',
      commit,
      apiUrl: receiver.origin,
      location: `http://code.test:${receiver.port}/x?token=t`,
    })
  })

  test('is sent along redirects of the host to itself, such as those of a renamed repository', async () => {
    receiver.received.length = 0
    receiver.state.answer = ({ url }) =>
      redirectTo(url === '/renamed' ? `http://code.test:${receiver.port}/x` : '/renamed')
    expect(await exchange('the-token')).toHaveProperty('location', expect.stringContaining('/x'))
    expect(receiver.received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer the-token',
      'Bearer the-token',
    ])
  })

  test('is kept for a host that serves the archive itself', async () => {
    serveBody(packEntries(good))
    expect(await exchange('the-token')).toHaveProperty('token', 'the-token')
  })

  test('is kept after too many redirects of the host to itself', async () => {
    receiver.state.answer = () => redirectTo('/again')
    expect(await exchange('the-token')).toHaveProperty('token', 'the-token')
  })

  test('that the host refuses is an error with its status', async () => {
    serveBody(Buffer.alloc(0), 403)
    await expect(exchange('the-token')).rejects.toMatchObject({
      code: 'OUTBOUND_FAILED',
      details: { status: 403 },
    })
  })

  test('is not needed for a public repository, so no request is sent', async () => {
    receiver.received.length = 0
    expect(await exchange()).not.toHaveProperty('location')
    expect(receiver.received).toEqual([])
  })
})
