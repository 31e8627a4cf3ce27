import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAddressFilter, parseOutboundUrl } from './address-filter.ts'
import { type ResolveHost, createOutbound, readResponseText } from './outbound.ts'

const refusal = createAddressFilter({}).refusalOf
const refused = { code: 'OUTBOUND_REFUSED' }
const failedResult = { code: 'OUTBOUND_FAILED' }

describe('addresses', () => {
  test.each([
    ['0.0.0.0', 'this network'],
    ['0.1.2.3', 'this network'],
    ['10.0.0.1', 'private'],
    ['10.255.255.255', 'private'],
    ['100.64.0.1', 'carriers'],
    ['100.127.255.255', 'carriers'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['169.254.169.254', 'metadata'],
    ['169.254.170.2', 'metadata'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.192', 'protocol'],
    ['192.0.2.1', 'documentation'],
    ['192.88.99.1', '6to4'],
    ['192.168.1.1', 'private'],
    ['198.18.0.1', 'benchmarks'],
    ['198.19.255.255', 'benchmarks'],
    ['198.51.100.7', 'documentation'],
    ['203.0.113.7', 'documentation'],
    ['224.0.0.1', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::7f00:1', 'IPv4-compatible'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:a9fe:a9fe', 'metadata'],
    ['::ffff:10.0.0.1', 'private'],
    ['::ffff:8.8.8.8', 'IPv4-mapped'],
    ['64:ff9b::a00:1', 'translation'],
    ['64:ff9b:1::1', 'translation'],
    ['100::1', 'discarded'],
    ['2001::1', 'Teredo'],
    ['2001:db8::1', 'documentation'],
    ['2002:a00:1::', '6to4'],
    ['3fff::1', 'documentation'],
    ['5f00::1', 'segment'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'unique local'],
    ['fdff:ffff::1', 'unique local'],
    ['fe80::1', 'link-local'],
    ['febf::1', 'link-local'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['::ffff:0:a00:1', 'unassigned'],
    ['1::1', 'unassigned'],
    ['4000::1', 'unassigned'],
    ['e000::1', 'unassigned'],
  ])('the reason for the refusal of %s contains: %s', (address, why) => {
    expect(refusal(address)).toContain(why)
  })

  test.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '126.255.255.255',
    '128.0.0.1',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.1',
    '192.167.255.255',
    '192.169.0.1',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450:4001::200e',
    '2001:4860:4860::8888',
  ])('%s may be called', address => {
    expect(refusal(address)).toBeUndefined()
  })

  test('a network can be allowed without other networks, and a malformed network is refused', () => {
    const addressFilter = createAddressFilter({ allowedNetworks: ['10.1.0.0/16', 'fd00:1::/32'] })
    expect(addressFilter.refusalOf('10.1.2.3')).toBeUndefined()
    expect(addressFilter.refusalOf('fd00:1::9')).toBeUndefined()
    expect(addressFilter.refusalOf('10.2.0.1')).toBe('private')
    expect(addressFilter.refusalOf('fd00:2::9')).toContain('unique local')
    for (const bad of ['10.1.0.0', '10.1.0.0/', '10.1.0.0/33', 'all', '10.1.0.0/0x8'])
      expect(() => createAddressFilter({ allowedNetworks: [bad] })).toThrow(
        expect.objectContaining(refused),
      )
  })

  test.each([
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:1',
    'not a url',
    'https://user@example.com/',
    'https://:word@example.com/',
  ])('%s is not a URL that may be called', text => {
    expect(() => parseOutboundUrl(text, {})).toThrow(expect.objectContaining(refused))
  })
})

interface SeenRequest {
  readonly url: string
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

let server: Server
let port = 0
const seenRequests: SeenRequest[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const url = request.url ?? ''
      const body = Buffer.concat(chunks).toString()
      seenRequests.push({ url, method: request.method ?? '', headers: request.headers, body })
      const to = new URL(url, 'http://x').searchParams.get('to')
      if (to !== null) response.writeHead(302, { location: to }).end()
      else if (url === '/silent') response.writeHead(200).write('a')
      else if (url === '/never') return
      else response.writeHead(200, { 'x-a': '1' }).end(url === '/large' ? 'x'.repeat(5000) : 'good')
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  port = typeof address === 'object' && address !== null ? address.port : 0
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/**
 * Resolves `here.test` and `there.test` to the local server. Its address is the only private one
 * that `localOptions` allow.
 */
const resolveTestHost: ResolveHost = async host => {
  if (host === 'here.test' || host === 'there.test') return ['127.0.0.1']
  if (host === 'inside.test') return ['10.0.0.1']
  if (host === 'mixed.test') return ['127.0.0.1', '192.168.0.1']
  if (host === 'empty.test') return []
  if (host === 'odd.test') return ['odd']
  throw new Error('ENOTFOUND')
}
const localOptions = {
  allowedNetworks: ['127.0.0.1/32'],
  isHttpAllowed: true,
  resolve: resolveTestHost,
}
const get = (url: string, requestFields: object = {}) =>
  createOutbound(localOptions).call(
    { method: 'GET', url, headers: {}, ...requestFields },
    async response => ({
      status: response.status,
      headers: response.headers,
      text: await readResponseText(response),
    }),
  )

describe('outbound calls', () => {
  test('reach the address of the name, with the name in the request', async () => {
    const answer = await get(`http://here.test:${port}/a?b`)
    expect(answer).toMatchObject({ status: 200, text: 'good' })
    expect(answer.headers.get('x-a')).toBe('1')
    expect(seenRequests.at(-1)).toMatchObject({
      url: '/a?b',
      headers: { host: `here.test:${port}` },
    })
  })

  test('send a body with its length', async () => {
    await get(`http://here.test:${port}/p`, { method: 'POST', body: '{"ü":1}' })
    expect(seenRequests.at(-1)).toMatchObject({
      method: 'POST',
      body: '{"ü":1}',
      headers: { 'content-length': '8' },
    })
  })

  test.each([
    'http://inside.test/',
    'http://mixed.test/',
    'http://10.0.0.1/',
    'http://0x7f.1.1.1/',
    'http://2130706434/',
    'http://017700000002/',
    'http://[::1]/',
    'http://[::ffff:169.254.169.254]/latest/meta-data/',
    'http://[fd00:ec2::254]/',
    'http://169.254.169.254/latest/meta-data/iam/',
  ])('%s is refused before the request is sent', async url => {
    const count = seenRequests.length
    await expect(get(url)).rejects.toMatchObject(refused)
    expect(seenRequests).toHaveLength(count)
  })

  test.each([
    ['http://10.0.0.1/', 'calls to 10.0.0.1 are not allowed: private'],
    [
      'http://inside.test/',
      'inside.test resolves to 10.0.0.1, and calls to it are not allowed: private',
    ],
    [
      'http://odd.test/',
      'odd.test resolves to odd, and calls to it are not allowed: not an IP address',
    ],
  ])('the refusal of %s states the reason', async (url, message) => {
    await expect(get(url)).rejects.toMatchObject({ ...refused, message })
  })

  test('an allowed network does not allow http, and private addresses are refused by default', async () => {
    const strict = createOutbound({ allowedNetworks: ['127.0.0.1/32'] })
    const plain = createOutbound({ isHttpAllowed: true })
    for (const outbound of [strict, plain])
      await expect(
        outbound.call(
          { method: 'GET', url: `http://127.0.0.1:${port}/`, headers: {} },
          async () => 1,
        ),
      ).rejects.toMatchObject(refused)
  })

  test('a change of the address of a name after the check has no effect', async () => {
    let lookups = 0
    const resolve: ResolveHost = async () => {
      lookups += 1
      return lookups === 1 ? ['127.0.0.1'] : ['10.0.0.1']
    }
    const url = `http://rebinding.test:${port}/once`
    const outbound = createOutbound({ ...localOptions, resolve })
    expect(await outbound.call({ method: 'GET', url, headers: {} }, readResponseText)).toBe('good')
    expect(lookups).toBe(1)
    const again = outbound.call({ method: 'GET', url, headers: {} }, readResponseText)
    await expect(again).rejects.toMatchObject(refused)
  })

  test('the connection uses the checked address and no other', async () => {
    const resolveElsewhere: ResolveHost = async () => ['127.0.0.2', '127.0.0.1']
    const outbound = createOutbound({
      allowedNetworks: ['127.0.0.0/8'],
      isHttpAllowed: true,
      resolve: resolveElsewhere,
    })
    const url = `http://here.test:${port}/`
    const request = { method: 'GET', url, headers: {}, timeoutMs: 2000 } as const
    await expect(outbound.call(request, readResponseText)).rejects.toMatchObject(failedResult)
  })

  test('a redirect is a response unless it is followed', async () => {
    const answer = await get(`http://here.test:${port}/?to=/good`)
    expect(answer.status).toBe(302)
    const followed = await get(`http://here.test:${port}/?to=/good`, { redirectsMax: 1 })
    expect(followed).toMatchObject({ status: 200, text: 'good' })
    expect((await get(`http://here.test:${port}/?to=/?to=/x`, { redirectsMax: 1 })).status).toBe(
      302,
    )
  })

  test('a redirect to a private address or another scheme is refused', async () => {
    for (const to of [
      'http://10.0.0.1/',
      'http://inside.test/',
      'http://169.254.169.254/latest/',
      'http://[::1]/',
      'file:///etc/passwd',
      'http://user@here.test/',
      'http://',
    ])
      await expect(
        get(`http://here.test:${port}/?to=${encodeURIComponent(to)}`, { redirectsMax: 3 }),
      ).rejects.toMatchObject(refused)
  })

  test('a request with a body does not follow a redirect', async () => {
    const requestFields = { method: 'POST', body: 'x', redirectsMax: 3 }
    expect((await get(`http://here.test:${port}/?to=/good`, requestFields)).status).toBe(302)
  })

  test('credentials are sent to the same origin only', async () => {
    const requestFields = {
      redirectsMax: 1,
      headers: { authorization: 'Bearer word', accept: 'a/b' },
    }
    await get(`http://here.test:${port}/?to=/same`, requestFields)
    expect(seenRequests.at(-1)?.headers).toMatchObject({ authorization: 'Bearer word' })
    await get(`http://here.test:${port}/?to=http://there.test:${port}/other`, requestFields)
    expect(seenRequests.at(-1)?.url).toBe('/other')
    expect(seenRequests.at(-1)?.headers).toMatchObject({ accept: 'a/b' })
    expect(seenRequests.at(-1)?.headers).not.toHaveProperty('authorization')
  })

  test('a response that is too large, too slow or broken is an error', async () => {
    await expect(get(`http://here.test:${port}/large`, { bytesMax: 4999 })).rejects.toMatchObject(
      failedResult,
    )
    expect((await get(`http://here.test:${port}/large`, { bytesMax: 5000 })).text).toHaveLength(
      5000,
    )
    for (const path of ['never', 'silent'])
      await expect(
        get(`http://here.test:${port}/${path}`, { timeoutMs: 200 }),
      ).rejects.toMatchObject(failedResult)
    await expect(get('http://gone.test/')).rejects.toMatchObject(failedResult)
    await expect(get('http://empty.test/')).rejects.toMatchObject(failedResult)
  })

  test('a response that breaks before it is read is an error for its later reader', async () => {
    const request = { method: 'GET', url: `http://here.test:${port}/silent`, headers: {} } as const
    const broke = createOutbound(localOptions).call(
      { ...request, timeoutMs: 50 },
      async response => {
        await new Promise(resolve => setTimeout(resolve, 200))
        return readResponseText(response)
      },
    )
    await expect(broke).rejects.toMatchObject(failedResult)
  })

  test('a call to a name that never resolves ends with the timeout', async () => {
    const outbound = createOutbound({
      ...localOptions,
      resolve: () => new Promise(() => undefined),
    })
    const request = { method: 'GET', url: 'http://slow.test/', headers: {}, timeoutMs: 50 } as const
    await expect(outbound.call(request, readResponseText)).rejects.toMatchObject(failedResult)
  })

  test('an error contains the host, but not path and query, which may contain tokens', async () => {
    const thrown = await get('http://gone.test/path-token?query-token').catch(String)
    expect(thrown).toContain('gone.test')
    expect(thrown).not.toContain('token')
  })
})
