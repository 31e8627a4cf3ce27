import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LambdaInvoker } from '../../platform/aws/lambda-client.ts'
import { programLimits } from '../../config/program-limits.ts'
import {
  type ReceivedRequest,
  type ReceiverResponse,
  startHttpReceiver,
} from '../../triggers/outbound/local-receiver.fixture.ts'
import { createInstallerCaller } from './call-installer.ts'
import type { InstallJob, ProgramInstallRequest } from './install-job.ts'

let receiver: Awaited<ReturnType<typeof startHttpReceiver>>
beforeAll(async () => {
  receiver = await startHttpReceiver()
})
afterAll(() => receiver.close())

const functionArn = 'arn:aws:lambda:eu-central-1:1:function:antichain-installer'
const order: InstallJob = {
  repository: 'acme/shop',
  commit: 'c0ffee',
  apiUrl: 'https://api.github.com',
  folder: 'infra',
  ignoreScripts: true,
}
const archive = Buffer.from('a packed program')
const contentHash = createHash('sha256').update(archive).digest('hex')
const installed = {
  kind: 'installed',
  contentHash,
  sizeBytes: archive.length,
  packages: 'installed',
}
const death = {
  FunctionError: 'Unhandled',
  Payload: Buffer.from('{"errorMessage":"it was killed"}'),
}
const answerOf = (value: object) => ({ Payload: Buffer.from(JSON.stringify(value)) })

type Answer = Readonly<Record<string, unknown>> | Error

/** Installs with an installer that gives these answers in order. Each call takes `callMs`. */
async function installWith(
  answers: readonly Answer[],
  { callMs = 1_000, request = order }: { callMs?: number; request?: ProgramInstallRequest } = {},
) {
  const requests: { TenantId: string; FunctionName: string; Payload: Buffer }[] = []
  const logged: unknown[] = []
  let nowMs = 0
  let created = 0
  const storedSources: Uint8Array[] = []
  const lambda = {
    send: async ({ input }: { readonly input: (typeof requests)[number] }) => {
      const answer = answers[requests.length]
      requests.push(input)
      nowMs += callMs
      if (answer instanceof Error) throw answer
      return answer
    },
  } as unknown as LambdaInvoker
  const install = createInstallerCaller({
    lambda,
    functionArn,
    createUpload: async () => {
      created += 1
      const url = `https://bucket.example/installs/${created}`
      return { url, headers: { 'if-none-match': '*' }, read: async () => archive }
    },
    outbound: receiver.outbound,
    storeSource: async source => `https://bucket.example/sources/${storedSources.push(source)}`,
    clock: { monotonicMs: () => nowMs, sleep: async () => undefined },
    random: { uuid: () => `tenant ${requests.length}` },
    logger: { write: (...line) => void logged.push(line) },
  })
  const result = await install(request).catch((thrown: unknown) => thrown)
  return { result, requests, logged, storedSources }
}

test('a call has the job and one upload address, and its own tenant', async () => {
  const { result, requests } = await installWith([answerOf(installed)])
  expect(result).toEqual({ archive, packages: 'installed' })
  expect(requests).toMatchObject([{ FunctionName: functionArn, TenantId: 'tenant 0' }])
  const url = 'https://bucket.example/installs/1'
  expect(JSON.parse(String(requests[0]?.Payload))).toEqual({
    order,
    upload: { url, headers: { 'if-none-match': '*' } },
  })
})

describe('the credential of a request', () => {
  const source = Buffer.from('the packed repository')
  const redirect = { status: 302, headers: { location: '/own' } }
  const requestWithToken = () => ({ ...order, apiUrl: receiver.origin, token: 'the-token' })

  test.each<[string, (request: ReceivedRequest) => ReceiverResponse]>([
    ['serves archives itself', () => ({ status: 200, body: source })],
    [
      'redirects to itself',
      ({ url }) => (url === '/own' ? { status: 200, body: source } : redirect),
    ],
  ])('is not in the job for a host that %s', async (_host, answer) => {
    receiver.state.answer = answer
    const request = requestWithToken()
    const { result, requests, storedSources } = await installWith([death, answerOf(installed)], {
      request,
    })
    expect(result).toEqual({ archive, packages: 'installed' })
    expect(storedSources).toEqual([source])
    expect(receiver.received.at(-1)?.headers.authorization).toBe('Bearer the-token')
    expect(requests).toHaveLength(2)
    for (const { Payload } of requests) {
      expect(String(Payload)).not.toContain('the-token')
      expect(JSON.parse(String(Payload))).toHaveProperty(
        'order.location',
        'https://bucket.example/sources/1',
      )
    }
  })

  test('that the host refuses ends the request, and no installer is called', async () => {
    receiver.state.answer = () => ({ status: 403 })
    const { result, requests } = await installWith([], { request: requestWithToken() })
    expect(result).toMatchObject({ code: 'OUTBOUND_FAILED', details: { status: 403 } })
    expect(requests).toEqual([])
  })
})

test('after the early death of an installer, a second one is called with another upload address', async () => {
  const { result, requests, logged } = await installWith([death, answerOf(installed)])
  expect(result).toEqual({ archive, packages: 'installed' })
  expect(requests.map(({ TenantId }) => TenantId)).toEqual(['tenant 0', 'tenant 1'])
  expect(String(requests[1]?.Payload)).toContain('installs/2')
  expect(logged).toMatchObject([['warn', 'installer.failed', { commit: 'c0ffee' }]])
})

test('an installer that always dies ends the request with a clear error', async () => {
  const { result, requests } = await installWith(Array<Answer>(9).fill(death))
  expect(result).toMatchObject({ code: 'INSTALL_FAILED' })
  expect(String(result)).toContain('it was killed')
  expect(requests).toHaveLength(programLimits.installerTriesMax)
})

test('an installer that reached its time limit is not called again', async () => {
  const { result, requests } = await installWith([death], {
    callMs: programLimits.installerTimeoutMs,
  })
  expect(result).toMatchObject({ code: 'INSTALL_FAILED' })
  expect(requests).toHaveLength(1)
})

test('the error of a refused program keeps its code, its message and its hint', async () => {
  const refusal = { code: 'ARCHIVE_TOO_LARGE', message: 'it has 300 MB', hint: 'Remove files.' }
  const { result } = await installWith([answerOf({ kind: 'refused', ...refusal })])
  expect(result).toMatchObject(refusal)
})

const forgedText = 'done\u001b[2J\u0007\r\u202e, see\u2028https://evil.example'

test('the texts of a refusal contain no character that controls a terminal or a line', async () => {
  const refusal = {
    code: 'INSTALL_FAILED',
    message: `npm\n${forgedText}`,
    hint: `x\n${forgedText}`,
  }
  const { result } = await installWith([answerOf({ kind: 'refused', ...refusal })])
  const shownText = 'done\\u{1b}[2J\\u{7}\\u{d}\\u{202e}, see\\u{2028}https://evil.example'
  // The lines of a package manager remain lines, and a hint is one line.
  expect(result).toMatchObject({ message: `npm\n${shownText}`, hint: `x\\u{a}${shownText}` })
})

test('the texts of a refusal have a limited number of lines and characters', async () => {
  const { installerLinesMax, installerLineCharsMax } = programLimits
  const message = `${'a'.repeat(1_000_000)}\n`.repeat(3) + 'b\n'.repeat(100_000)
  const refusal = { code: 'INSTALL_FAILED', message, hint: 'c'.repeat(1_000_000) }
  const { result } = await installWith([answerOf({ kind: 'refused', ...refusal })])
  const { message: shownMessage, hint } = result as { message: string; hint: string }
  const lines = shownMessage.split('\n')
  expect(lines).toHaveLength(installerLinesMax + 1)
  expect(lines.at(-1)).toBe('…')
  expect(lines[0]).toBe(`${'a'.repeat(installerLineCharsMax)}…`)
  expect(hint).toBe(`${'c'.repeat(installerLineCharsMax)}…`)
})

test('the reason of a dead installer contains no character that controls a terminal', async () => {
  const payload = Buffer.from(JSON.stringify({ errorMessage: 'x' }) + forgedText)
  const forgedDeath = { FunctionError: 'Unhandled', Payload: payload }
  const { result, logged } = await installWith(Array<Answer>(9).fill(forgedDeath))
  expect(String(result)).toContain('\\u{1b}[2J')
  expect(String(result) + JSON.stringify(logged)).not.toMatch(/\u001b|\\u001b|\u202e/)
})

test.each<readonly [string, object]>([
  ['a code that no installer has', { kind: 'refused', code: 'STACK_BUSY', message: '', hint: '' }],
  ['another form', { kind: 'published' }],
  ['the hash of other bytes than those at the address', { ...installed, contentHash: '00' }],
])('an answer with %s is refused', async (_what, answer) => {
  const { result } = await installWith([answerOf(answer)])
  expect(result).toMatchObject({ code: 'INSTALL_FAILED' })
})

test('an answer with a code of the store is no outage, so its request ends', async () => {
  const refusal = { kind: 'refused', code: 'STORE_UNAVAILABLE', message: 'later', hint: '' }
  const { result } = await installWith([answerOf(refusal)])
  expect(result).toMatchObject({ code: 'INSTALL_FAILED' })
  expect(String(result)).not.toContain('later')
})

test('an answer that is not JSON ends the request, because scripts can forge it', async () => {
  const { result, requests } = await installWith([{ Payload: Buffer.from('x') }])
  expect(result).toMatchObject({ code: 'INSTALL_FAILED' })
  expect(requests).toHaveLength(1)
})

const throttled = Object.assign(new Error('Rate exceeded'), { name: 'TooManyRequestsException' })

test('a call that Lambda does not accept is repeated', async () => {
  const { result, requests } = await installWith([throttled, answerOf(installed)])
  expect(result).toEqual({ archive, packages: 'installed' })
  expect(requests).toHaveLength(2)
})

test('a function that cannot be called is an error of the store, so the nudge is repeated', async () => {
  const { result, requests } = await installWith(Array<Answer>(9).fill(throttled))
  expect(result).toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(requests).toHaveLength(programLimits.installerTriesMax)
})

test('a call that Lambda refuses is an error, and is not repeated', async () => {
  const denied = Object.assign(new Error('denied'), { name: 'AccessDeniedException' })
  const { result, requests } = await installWith([denied])
  expect(result).toMatchObject({ code: 'STORE_DENIED' })
  expect(requests).toHaveLength(1)
})
