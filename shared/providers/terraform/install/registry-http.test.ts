import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { downloadFile, fetchDocument, type RegistryHttpDeps } from './registry-http.ts'

/** A request that a server received. */
interface ReceivedRequest {
  readonly url: string
  readonly authorization: string | null
}

/**
 * Creates dependencies whose requests get these responses in order. Each later request fails like
 * one without a network.
 */
function createServers(...responses: readonly (() => Response)[]): {
  readonly deps: RegistryHttpDeps
  readonly received: readonly ReceivedRequest[]
  readonly pauses: readonly number[]
} {
  const received: ReceivedRequest[] = []
  const pauses: number[] = []
  const deps: RegistryHttpDeps = {
    fetch: (url, init) => {
      const authorization = new Headers(init?.headers).get('authorization')
      received.push({ url: url instanceof Request ? url.url : String(url), authorization })
      const respond = responses[received.length - 1]
      return respond === undefined
        ? Promise.reject(new TypeError('fetch failed'))
        : Promise.resolve(respond())
    },
    pause: pauseMs => Promise.resolve(void pauses.push(pauseMs)),
    report: () => undefined,
  }
  return { deps, received, pauses }
}

const redirectTo = (location: string) => () =>
  new Response(null, { status: 302, headers: { location } })

test('a redirect within a host keeps the token, and one to another host does not', async () => {
  const { deps, received } = createServers(
    redirectTo('/other'),
    redirectTo('https://b.example.com/file?signature=s'),
    () => new Response('content'),
  )
  const response = await fetchDocument({ url: 'https://a.example.com/', token: 't' }, deps)
  expect(response).toMatchObject({ status: 200, url: 'https://b.example.com/file?signature=s' })
  expect(received).toEqual([
    { url: 'https://a.example.com/', authorization: 'Bearer t' },
    { url: 'https://a.example.com/other', authorization: 'Bearer t' },
    { url: 'https://b.example.com/file?signature=s', authorization: null },
  ])
})

test('a redirect to an address without https is refused', async () => {
  const { deps, received } = createServers(redirectTo('http://a.example.com/'))
  await expect(
    fetchDocument({ url: 'https://a.example.com/', token: 't' }, deps),
  ).rejects.toMatchObject({
    code: 'TERRAFORM_REGISTRY_UNREACHABLE',
    message: expect.stringContaining('is not an address with https'),
  })
  expect(received).toHaveLength(1)
})

test('endless redirects are refused', async () => {
  const { deps } = createServers(...Array.from({ length: 20 }, () => redirectTo('/')))
  await expect(fetchDocument({ url: 'https://a.example.com/' }, deps)).rejects.toMatchObject({
    message: expect.stringContaining('too many redirects'),
  })
})

test('responses with the status 503 or 429 are retried with growing pauses', async () => {
  const { deps, pauses } = createServers(
    () => new Response('', { status: 503 }),
    () => new Response('', { status: 429 }),
    () => new Response('content'),
  )
  const { bytes } = await fetchDocument({ url: 'https://a.example.com/' }, deps)
  expect([bytes.toString(), pauses]).toEqual(['content', [80, 160]])
})

test('a document that is too large is not requested again', async () => {
  const respond = (): Response => new Response(new Uint8Array(10_000_001))
  const { deps, received } = createServers(respond, respond)
  await expect(fetchDocument({ url: 'https://a.example.com/' }, deps)).rejects.toMatchObject({
    message: expect.stringContaining('too large'),
  })
  expect(received).toHaveLength(1)
})

test('a missing file is not requested again, and the message omits the query of its address', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tf-http-'))
  const { deps, received } = createServers(() => new Response('', { status: 404 }))
  try {
    await expect(
      downloadFile({ url: 'https://a.example.com/f?signature=s' }, join(folder, 'f'), deps),
    ).rejects.toMatchObject({
      message: 'cannot fetch https://a.example.com/f: the server responded with the status 404',
    })
    expect(received).toHaveLength(1)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a download that breaks off is repeated from its beginning', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tf-http-'))
  const createBrokenResponse = (): Response => {
    const chunks = [Buffer.from('half')]
    return new Response(
      new ReadableStream({
        pull(controller) {
          const chunk = chunks.pop()
          if (chunk === undefined) controller.error(new Error('the connection broke'))
          else controller.enqueue(chunk)
        },
      }),
    )
  }
  const { deps } = createServers(createBrokenResponse, () => new Response('whole'))
  try {
    const file = join(folder, 'f')
    expect(await downloadFile({ url: 'https://a.example.com/f' }, file, deps)).toEqual({
      sha256: '5d5766cf2d78701614200418ee1450690d9af12c84d52545e4802f001ad53099',
      sizeBytes: 5,
    })
    expect(readFileSync(file, 'utf8')).toBe('whole')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
