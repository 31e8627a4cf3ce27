import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runCommandLine } from '../../../cli/arguments/run-command-line.ts'
import { createLazyTools } from '../../../cli/session/lazy-tools.ts'
import type { Io } from '../../../cli/session/io.ts'
import { createToken } from '../../../shared/api/issue-token.ts'
import { createApiPorts, serveApi, type ServedApi } from '../../../local/serve-api.ts'
import { outboundVariables } from '../../../shared/config/outbound-variables.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../../../shared/platform/embedded/embedded-platform.ts'
import { type EpochMs, stackIdOf } from '../../../shared/records/ids.ts'
import { startLocalIssuer } from './local-issuer.ts'

// These tests run the command line of CI jobs and of an admin, an API, and an OIDC issuer.
let root = ''
let platform: EmbeddedPlatform
let api: ServedApi
let issuer: Awaited<ReturnType<typeof startLocalIssuer>>
let input = ''
/** How far the two clocks of the API are ahead. A monotonic clock never goes back. */
let [leadMs, monotonicLeadMs] = [0, 0]

const jobClaims = { repository: 'acme/shop', ref: 'refs/heads/main' }
const minuteMs = 60_000

beforeAll(async () => {
  process.env[outboundVariables.allowedNetworks] = '127.0.0.1/32'
  process.env[outboundVariables.plainHttp] = '1'
  root = mkdtempSync(join(tmpdir(), 'cli-federation-'))
  platform = await openEmbeddedPlatform({ home: join(root, 'server') })
  for (const stack of ['dev', 'prod'])
    await platform.catalog.createStack(stackIdOf('shop', stack), platform.clock.now())
  const ports = createApiPorts(platform, undefined)
  const clock = {
    ...ports.clock,
    now: () => (ports.clock.now() + leadMs) as EpochMs,
    monotonicMs: () => ports.clock.monotonicMs() + monotonicLeadMs,
  }
  api = await serveApi({ ...ports, clock }, { host: '127.0.0.1', port: 0 })
  issuer = await startLocalIssuer(jobClaims)
  const { token } = await createToken(platform, { name: 'admin', role: 'admin', days: 'never' })
  await requireRun('admin', {}, 'login', api.url, '--token', token)
})
afterAll(async () => {
  issuer.close()
  await api.close()
  await platform.close()
  rmSync(root, { recursive: true })
})
beforeEach(() => {
  issuer.state.claims = jobClaims
  input = ''
})

/** Runs a command with the home folder of a user. */
async function run(
  user: string,
  variables: Readonly<Record<string, string>>,
  ...args: readonly string[]
) {
  let [out, err] = ['', '']
  const io: Io = {
    stdout: { write: text => (out += text) },
    stderr: { write: text => (err += text) },
    env: { ANTICHAIN_HOME: join(root, user), ...variables },
    cwd: root,
    isTerminal: false,
    prompt: async () => '',
    promptHidden: async () => '',
    readInput: async () => input,
    onInterrupt: () => () => {},
  }
  const exit = await runCommandLine(args, io, createLazyTools())
  return { exit, out, err }
}

async function requireRun(
  user: string,
  variables: Readonly<Record<string, string>>,
  ...args: readonly string[]
) {
  const result = await run(user, variables, ...args)
  expect([args, result.exit, result.err]).toEqual([args, 0, result.err])
  return result
}

const createRule = (name: string, ...args: readonly string[]) =>
  requireRun('admin', {}, 'federation', 'create', name, '--issuer', issuer.issuer, ...args)
const ruleArgs = ['--claim', 'repository=acme/shop', '--claim', 'ref=refs/heads/*'] as const
const deployArgs = [...ruleArgs, '--role', 'deploy', '--for', 'shop/dev'] as const
const login = (user: string, variables: Readonly<Record<string, string>>, ...args: string[]) =>
  run(user, variables, 'login', api.url, '--oidc', ...args)
const readLoginFile = (user: string): string => readFileSync(join(root, user, 'login.json'), 'utf8')

describe('a job of GitHub Actions', () => {
  test('logs in with its OIDC token, and has the role and stacks of the rule', async () => {
    const created = await createRule('shop', ...deployArgs, '--lifetime', '30m')
    expect(created.err).toContain(`Created federation rule 'shop' for the audience '${api.url}'.`)
    const { exit, out, err } = await login('job', issuer.jobVariables)
    expect([exit, out]).toEqual([0, ''])
    expect(err).toMatch(/Logged in to .* as 'shop: runner' \(role deploy\), until /)
    const saved = JSON.parse(readLoginFile('job')) as { url: string; token: string }
    expect(saved).toEqual({ url: api.url, token: expect.stringMatching(/^act_/) })
    expect(statSync(join(root, 'job', 'login.json')).mode & 0o777).toBe(0o600)
    for (const secret of [saved.token, 'eyJ']) expect(err).not.toContain(secret)
    const who = await requireRun('job', {}, 'whoami', '--json')
    expect(JSON.parse(who.out)).toMatchObject({ role: 'deploy', stacks: ['shop/dev'] })
    const headers = { authorization: `Bearer ${saved.token}` }
    for (const [stack, status] of Object.entries({ dev: 200, prod: 403 }))
      expect(await fetch(`${api.url}/v1/stacks/shop/${stack}`, { headers })).toMatchObject({
        status,
      })
    const listed = await run('job', {}, 'token', 'ls')
    expect([listed.exit, listed.err]).toEqual([3, expect.stringContaining('API_FORBIDDEN')])
  })

  test('is refused after the lifetime of its token, with an error code for this case', async () => {
    leadMs += 31 * minuteMs
    const { exit, err } = await run('job', {}, 'whoami')
    expect([exit, err]).toEqual([3, expect.stringContaining('error[API_TOKEN_EXPIRED]')])
    expect(err).toContain('antichain login --oidc')
    leadMs -= 31 * minuteMs
  })

  test('without the permission for an OIDC token gets an error that names the permission', async () => {
    const { exit, err } = await login('job', { GITHUB_ACTIONS: 'true' })
    expect([exit, err]).toEqual([3, expect.stringContaining('error[OIDC_TOKEN_MISSING]')])
    expect(err).toContain('id-token: write')
    const wrong = { ...issuer.jobVariables, ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'wrong' }
    const refused = await login('job', wrong)
    expect(refused.err).toContain('responded with status 401')
    expect(refused.err).not.toContain('wrong')
  })

  test('appears in the audit log with rule, subject and issuer', async () => {
    const { callApi } = await createLazyTools().openRemote(JSON.parse(readLoginFile('admin')))
    const { items } = (await callApi({ method: 'GET', path: '/v1/audit' })) as {
      items: readonly { who: string; what: string; kind: string }[]
    }
    const exchanges = items.filter(({ what }) => what === 'POST /v1/tokens/exchange')
    expect(exchanges.map(({ kind }) => kind)).toEqual(['answered', 'asked'])
    const who = new RegExp(`^shop: runner of ${issuer.issuer} \\([0-9a-f]{16}\\)$`)
    for (const exchange of exchanges) expect(exchange.who).toMatch(who)
  })
})

test('an OIDC token is also read from a variable, a file and standard input', async () => {
  const jwt = await issuer.requestJwt(api.url)
  const file = join(root, 'oidc-token')
  writeFileSync(file, `${jwt}\n`)
  input = `${jwt}\n`
  const fromVariable = await login('gitlab', { ANTICHAIN_OIDC_TOKEN: jwt })
  const fromFile = await run('generic', {}, 'login', api.url, '--oidc-token-file', file)
  const fromOption = await run('generic', {}, 'login', '-c', api.url, '--oidc-token', jwt)
  const fromOptionFile = await run(
    'generic',
    {},
    'login',
    api.url,
    '--oidc-token',
    `file://${file}`,
  )
  const fromInput = await login('generic', {}, '--oidc-token-file', '-')
  for (const { exit, err } of [fromVariable, fromFile, fromInput, fromOption, fromOptionFile])
    expect([exit, err]).toEqual([0, expect.stringContaining("as 'shop: runner'")])
})

describe('a refused login', () => {
  const expectRefusal = async (jwt: string, code: string): Promise<string> => {
    const before = readLoginFile('gitlab')
    const { exit, out, err } = await login('gitlab', { ANTICHAIN_OIDC_TOKEN: jwt })
    expect([exit, out, err]).toEqual([3, '', expect.stringContaining(`error[${code}]`)])
    expect(err).not.toContain(jwt)
    // The earlier login is kept.
    expect(readLoginFile('gitlab')).toBe(before)
    return err
  }

  test('names an expired token, a wrong audience, and a foreign issuer or repository by code', async () => {
    const seconds = Math.floor(Date.now() / 1_000)
    const claims = { ...jobClaims, aud: api.url, iat: seconds - 400 }
    await expectRefusal(await issuer.sign({ ...claims, exp: seconds - 100 }), 'OIDC_TOKEN_EXPIRED')
    await expectRefusal(await issuer.requestJwt('https://other.test'), 'OIDC_AUDIENCE_WRONG')
    const other = await startLocalIssuer(jobClaims)
    const foreign = await expectRefusal(await other.requestJwt(api.url), 'OIDC_TOKEN_FOREIGN')
    other.close()
    issuer.state.claims = { ...jobClaims, repository: 'eve/shop' }
    const mismatch = await expectRefusal(await issuer.requestJwt(api.url), 'OIDC_TOKEN_FOREIGN')
    expect(mismatch).toBe(foreign)
  })

  test('names a token that is unsigned, signed with the public key, or too large', async () => {
    const claims = decodeJwt(await issuer.requestJwt(api.url))
    await expectRefusal(new UnsecuredJWT(claims).encode(), 'OIDC_TOKEN_INVALID')
    const { kty, n, e } = issuer.state.key.jwk
    const publicKey = createPublicKey({ key: { kty, n, e } as JsonWebKey, format: 'jwk' })
    const secret = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }))
    const header = { alg: 'HS256', kid: issuer.state.key.kid }
    const symmetric = await new SignJWT(claims).setProtectedHeader(header).sign(secret)
    await expectRefusal(symmetric, 'OIDC_TOKEN_INVALID')
    const large = await issuer.sign({ ...claims, note: 'x'.repeat(20_000) })
    const { exit, err } = await login('gitlab', { ANTICHAIN_OIDC_TOKEN: large })
    expect([exit, err]).toEqual([1, expect.stringContaining('error[API_BODY_TOO_LARGE]')])
  })

  test('of a token with a new key succeeds when the API has read the keys of the issuer again', async () => {
    await issuer.rotateKey()
    const jwt = await issuer.requestJwt(api.url)
    await expectRefusal(jwt, 'OIDC_TOKEN_INVALID')
    monotonicLeadMs += minuteMs
    expect((await login('gitlab', { ANTICHAIN_OIDC_TOKEN: jwt })).exit).toBe(0)
  })
})

test('several matching rules need --rule, a paused rule admits no job, and a removed one ends its tokens', async () => {
  await createRule('reader', ...ruleArgs, '--role', 'read')
  const ambiguous = await login('job', issuer.jobVariables)
  expect([ambiguous.exit, ambiguous.err]).toEqual([
    3,
    expect.stringContaining("several rules admit the OIDC token: 'reader', 'shop'"),
  ])
  const named = await login('job', issuer.jobVariables, '--rule', 'reader')
  expect(named.err).toContain('(role read)')
  const listed = await requireRun('admin', {}, 'federation', 'ls')
  expect(listed.out).toMatch(/^shop +on +repository=acme\/shop, ref=refs\/heads\/\* of http/m)
  await createRule('reader', ...ruleArgs, '--role', 'read', '--paused')
  const shown = await requireRun('admin', {}, 'federation', 'show', 'reader')
  expect(JSON.parse(shown.out)).toMatchObject({ isPaused: true, lifetimeSeconds: 3_600 })
  expect((await login('job', issuer.jobVariables)).err).toContain('(role deploy)')
  await requireRun('admin', {}, 'federation', 'rm', 'reader')
  await requireRun('admin', {}, 'federation', 'rm', 'shop')
  const refused = await login('job', issuer.jobVariables)
  expect(refused.err).toContain('error[OIDC_TOKEN_FOREIGN]')
  // The earlier token of the removed rule is no longer valid.
  const { exit, err } = await run('job', {}, 'whoami')
  expect([exit, err]).toEqual([3, expect.stringContaining('error[API_TOKEN_REFUSED]')])
})

test('a rule without a condition, an owner or an audience is refused', async () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['CLI_USAGE', ['--issuer', 'github', '--role', 'read']],
    ['CLI_USAGE', ['--issuer', 'github', '--role', 'read', '--claim', 'repository']],
    ['FEDERATION_TOO_BROAD', ['--issuer', 'github', '--role', 'read', '--claim', 'ref=main']],
    ['FEDERATION_TOO_BROAD', ['--issuer', 'gitlab', '--role', 'read', '--claim', 'sub=**']],
    ['CLI_USAGE', ['--issuer', 'github', '--role', 'read', '--claim', 'a=b', '--lifetime', '1']],
    ['CLI_USAGE', ['--issuer', 'github', '--role', 'read', '--claim', 'a=b', '--claim', 'a=c']],
  ]
  for (const [code, args] of cases) {
    const { exit, err } = await run('admin', {}, 'federation', 'create', 'bad', ...args)
    const expectedExit = code === 'CLI_USAGE' ? 1 : 2
    const expectedError = expect.stringContaining(`error[${code}]`)
    expect([args, exit, err]).toEqual([args, expectedExit, expectedError])
  }
  const args = ['--issuer', 'github', '--role', 'read', '--claim', 'repository=acme/shop']
  // The audience of a rule is by default the address of the login.
  const local = await run('nobody-yet', {}, 'federation', 'create', 'bad', ...args)
  expect([local.exit, local.err]).toEqual([1, expect.stringContaining('without a login')])
})

describe('tokens', () => {
  test('expire after 90 days, or never if the creator says so', async () => {
    const created = await requireRun(
      'admin',
      {},
      'token',
      'create',
      'dash',
      '--role',
      'read',
      '--json',
    )
    const { createdAt, expiresAt } = JSON.parse(created.out) as Record<string, number>
    expect(Number(expiresAt) - Number(createdAt)).toBe(90 * 86_400_000)
    expect(created.err).toContain(`valid until ${new Date(Number(expiresAt)).toISOString()}`)
    const endless = await requireRun(
      'admin',
      {},
      ...['token', 'create', 'old', '--role', 'read', '--days', 'never'],
    )
    expect(endless.err).toContain('valid until it is revoked')
    const listed = await requireRun('admin', {}, 'token', 'ls')
    expect(listed.out).toMatch(/old +read +all +never/)
    const bad = await run('admin', {}, 'token', 'create', 'x', '--role', 'read', '--days', '3651')
    expect([bad.exit, bad.err]).toEqual([1, expect.stringContaining('from 1 to 3650, or never')])
  })

  test('are rotated by name, and the earlier secret ends with the overlap', async () => {
    const first = await requireRun('admin', {}, 'token', 'create', 'ci', '--role', 'read')
    await requireRun('ci', {}, 'login', api.url, '--token', first.out.trim())
    const second = await requireRun('admin', {}, 'token', 'rotate', 'ci', '--overlap', '1h')
    expect(second.err).toMatch(/Rotated token [0-9a-f]{16} \('ci'\), valid until /)
    await requireRun('ci', {}, 'whoami')
    leadMs += 61 * minuteMs
    const late = await run('ci', {}, 'whoami')
    expect([late.exit, late.err]).toEqual([3, expect.stringContaining('error[API_TOKEN_EXPIRED]')])
    expect(late.err).toContain('was rotated')
    await requireRun('ci', {}, 'login', api.url, '--token', second.out.trim())
    await requireRun('admin', {}, 'token', 'rotate', 'ci', '--overlap', '0')
    expect((await run('ci', {}, 'whoami')).exit).toBe(3)
    leadMs -= 61 * minuteMs
    const { err } = await run('admin', {}, 'token', 'rotate', 'absent')
    expect(err).toContain("error[DOCUMENT_UNKNOWN]: no token has the id or name 'absent'")
    const pasted = await run('admin', {}, 'token', 'revoke', second.out.trim())
    expect([pasted.exit, pasted.err]).toEqual([1, expect.stringContaining("'act_…'")])
    await requireRun('admin', {}, 'token', 'revoke', 'ci')
  })
})
