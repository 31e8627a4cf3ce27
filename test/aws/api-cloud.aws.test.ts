/**
 * The API of the local cloud, called by the command line: a user has an address and a token, and
 * nothing else of the installation.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Role } from '../../shared/api/authorization.ts'
import { createToken } from '../../shared/api/issue-token.ts'
import { createSandbox, type Sandbox, type CommandOutput, requireSuccess } from '../e2e/sandbox.ts'
import { parseExport } from '../e2e/exported-state.ts'
import { verifyExport } from '../verifier/verify.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { secretText } from './stack-file.ts'
import { describeWithServices } from './describe-with-services.ts'

describeWithServices('API of the local cloud', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: CloudBundles
  let sandbox: CloudSandbox
  let client: Sandbox
  beforeAll(async () => {
    bundles = await createBundles()
  })
  afterAll(() => bundles?.remove())
  beforeEach(async () => {
    sandbox = await createCloudSandbox('shop', { aws: settings(), bundleOf: bundles.findBundle })
    client = createSandbox(undefined, { sdk: false })
    writeStep('1')
  })
  afterEach(async () => {
    client?.remove()
    await sandbox?.remove()
  }, 120_000)

  const writeStep = (text: string): void =>
    writeFileSync(join(sandbox.program, 'variables.json'), JSON.stringify({ STEP: text }))
  const run = (...args: readonly string[]): Promise<CommandOutput> =>
    client.run(['-C', sandbox.program, ...args])
  const tokenOf = async (role: Role, stacks?: string[]): Promise<string> =>
    (
      await createToken(sandbox.control.platform, {
        name: role,
        role,
        ...(stacks === undefined ? {} : { stacks }),
      })
    ).token
  const login = async (token: string): Promise<CommandOutput> =>
    client.run(['login', sandbox.cloud.apiUrl], { env: { ANTICHAIN_TOKEN: token } })
  const linesOf = ({ out }: CommandOutput): readonly Record<string, unknown>[] =>
    out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown>)

  test('a user logs in, deploys, views, changes and destroys a stack', {
    timeout: 600_000,
  }, async () => {
    const adminToken = await tokenOf('admin')
    requireSuccess(await login(adminToken))
    requireSuccess(await run('stack', 'select', 'dev'))
    const up = requireSuccess(await run('up', '--yes'))
    expect(up.out).toMatch(/created/)
    expect(sandbox.listObjects().map(({ id }) => id)).toContain('database-1')
    await expectDashboard(sandbox.cloud.apiUrl)
    // The requests called the function of the API. The program was uploaded directly to S3, at a
    // signed address.
    const calls = sandbox.calls.filter(({ name }) => name === 'api')
    expect(calls.length).toBeGreaterThan(3)
    expect(
      verifyExport(requireSuccess(await run('stack', 'export')).out, { sealed: true }),
    ).toEqual([])
    const outputs = requireSuccess(await run('stack', 'output', '--json')).out
    expect(JSON.parse(outputs)).toMatchObject({ password: '[secret]', token: '[secret]' })
    writeStep('2')
    const changed = requireSuccess(await run('up', '--yes', '--skip-preview', '--json'))
    expect(linesOf(changed).some(event => 'summaryEvent' in event)).toBe(true)
    const history = JSON.parse(
      requireSuccess(await run('stack', 'history', '--json')).out,
    ) as object[]
    expect(history).toMatchObject([
      { kind: 'update', result: 'succeeded' },
      { kind: 'update', result: 'succeeded' },
    ])
    // The first deployment ended a while ago, so all its calls have stored their usage.
    const cost = requireSuccess(await run('deployment', 'cost', '1')).out
    for (const part of ['generator', 'executor', 'compaction', 'watcher', 'total'])
      expect(cost).toMatch(new RegExp(`^${part} .* \\$0\\.`, 'm'))
    const archive = await exportAll()
    const rows = await queryResources(run)
    expect(rows.length).toBeGreaterThan(2)
    expect(JSON.stringify(rows)).not.toContain(secretText)
    await importOnLaptop(archive, rows)
    expect((await run('resume')).err).toContain('NOTHING_TO_RESUME')
    expect(requireSuccess(await run('notification', 'dead', '--json')).out).toBe('[]\n')
    expect(requireSuccess(await run('notification', 'redrive')).err).toContain(
      'There are no undelivered notifications.',
    )
    requireSuccess(await run('plugin', 'ls', '--api'))
    const queues = await fetch(new URL('/v1/queues', sandbox.cloud.apiUrl), {
      headers: { authorization: `Bearer ${adminToken}` },
    })
    const { items } = (await queues.json()) as { readonly items: readonly object[] }
    expect(items).toHaveLength(4)
    expect(items).toContainEqual({ queue: 'chains', waiting: 0, held: 0, dead: 0 })
    requireSuccess(await run('destroy', '--yes', '--skip-preview'))
    expect(sandbox.listObjects()).toEqual([])
    requireSuccess(await run('stack', 'rm', '--yes', 'dev'))
    expect(await sandbox.control.platform.catalog.getStack(sandbox.stack)).toBeUndefined()
    // An export moves the stack back into an installation that has lost it.
    const imported = requireSuccess(await run('platform', 'import', archive, '--yes'))
    expect(imported.out).toMatch(/organization\/shop\/dev .* new +import/)
    expect((await sandbox.control.platform.catalog.getStack(sandbox.stack))?.version).toBe(1)
    expect(await sandbox.exportState()).toContain('server-2')
    for (const commandResult of [up, changed])
      expect(`${commandResult.out}${commandResult.err}`).not.toContain(secretText)
    // Every API request for a change was recorded before it was executed, and its result
    // afterwards.
    const audited = await sandbox.control.platform.audit.read(0, 100)
    expect(audited.map(({ what }) => what)).toContain('POST /v1/stacks/shop/dev/deployments')
    expect(audited.every(({ from }) => from === '127.0.0.1')).toBe(true)
    expect(audited.filter(({ kind }) => kind === 'asked')).toHaveLength(audited.length / 2)
  })

  /** Exports all stacks of the installation, and returns the archive. It has no secret. */
  async function exportAll(): Promise<string> {
    const archive = join(client.program, 'all.tar.gz')
    requireSuccess(await run('platform', 'export', archive))
    const text = gunzipSync(readFileSync(archive)).toString()
    expect(text).toContain('POST /v1/stacks/shop/dev/deployments')
    expect(text).not.toContain(secretText)
    return archive
  }

  /** Queries all resources and their properties by SQL. Returns the rows. */
  async function queryResources(runCommand: typeof run): Promise<readonly unknown[]> {
    const sql = `select stack, urn, type, kind, path, value from resources r
      left join properties p using (project, stack, urn) order by 1, 2, 4, 5`
    return JSON.parse(requireSuccess(await runCommand('query', sql, '--json')).out) as unknown[]
  }

  /**
   * Imports an archive into the store of another home folder, which gets the same state and the
   * same rows of a query.
   */
  async function importOnLaptop(archive: string, rows: readonly unknown[]): Promise<void> {
    const env = { ANTICHAIN_HOME: join(client.program, 'laptop') }
    const runOnLaptop: typeof run = (...args) =>
      client.run(['-C', sandbox.program, ...args], { env })
    const runThere = async (...args: readonly string[]): Promise<string> =>
      requireSuccess(await runOnLaptop(...args)).out
    await runThere('platform', 'import', archive, '--yes')
    const { resources } = parseExport(await runThere('-s', 'dev', 'stack', 'export'))
    expect(resources).toEqual(parseExport(await sandbox.exportState()).resources)
    const history = JSON.parse(await runThere('-s', 'dev', 'stack', 'history', '--json'))
    expect(history).toMatchObject([{ kind: 'update' }, { kind: 'update' }])
    expect(await queryResources(runOnLaptop)).toEqual(rows)
  }

  test('a plugin is uploaded once per version, and is found as the newest one', async () => {
    const file = 'pulumi-resource-silver-v1.2.3-linux-amd64.tar.gz'
    const push = (text: string): Promise<CommandOutput> => {
      writeFileSync(join(client.program, file), text)
      return client.run(['plugin', 'push', file])
    }
    expect((await push('good')).err).toContain('LOGIN_MISSING')
    requireSuccess(await login(await tokenOf('deploy')))
    expect((await push('good')).err).toContain('API_FORBIDDEN')
    requireSuccess(await login(await tokenOf('admin')))
    for (const _ of [1, 2]) expect(requireSuccess(await push('good')).err).toContain('silver 1.2.3')
    expect((await push('evil')).err).toContain('PLUGIN_TAKEN')
    const key = { kind: 'resource', name: 'silver', version: '', os: 'linux', arch: 'x64' }
    const storedPlugin = await sandbox.control.platform.plugins.get(key)
    expect([storedPlugin?.version, Buffer.from(storedPlugin?.bytes ?? []).toString()]).toEqual([
      '1.2.3',
      'good',
    ])
    expect((await client.run(['plugin', 'push', 'some.zip'])).exit).toBe(1)
  }, 120_000)

  test('a request beyond the permissions of a token is refused without effect', async () => {
    const statusOf = async (token: string, route: string, body?: object): Promise<number> => {
      const [method = '', path = ''] = route.split(' ')
      const response = await fetch(`${sandbox.cloud.apiUrl}${path}`, {
        method,
        headers: token === '' ? {} : { authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      await response.body?.cancel()
      return response.status
    }
    const stack = '/v1/stacks/shop/dev'
    const [reader, deployer, stranger] = await Promise.all([
      tokenOf('read'),
      tokenOf('deploy', ['shop/dev']),
      tokenOf('admin', ['other/*']),
    ])
    const forged = `${reader.slice(0, -1)}${reader.endsWith('A') ? 'B' : 'A'}`
    const requests: readonly (readonly [string, string, number])[] = [
      ['', `GET ${stack}`, 401],
      [forged, `GET ${stack}`, 401],
      [reader, `GET ${stack}`, 200],
      [reader, `POST ${stack}/deployments`, 403],
      [reader, `POST ${stack}/programs`, 403],
      [stranger, `GET ${stack}`, 403],
      [stranger, `DELETE ${stack}`, 403],
      [deployer, `DELETE ${stack}`, 403],
      [deployer, 'GET /v1/tokens', 403],
      [deployer, 'GET /v1/audit', 403],
    ]
    for (const [token, route, status] of requests)
      expect([
        route,
        await statusOf(token, route, route.startsWith('POST') ? {} : undefined),
      ]).toEqual([route, status])
    expect(await sandbox.control.platform.requests.listWaiting(sandbox.stack, 10)).toEqual([])
    // The audit log has no calls of GET.
    const refused = (await sandbox.control.platform.audit.read(0, 100)).filter(
      ({ status }) => status === 403,
    )
    expect(refused).toHaveLength(4)
    requireSuccess(await login(reader))
    const up = await client.run(['-C', sandbox.program, '-s', 'dev', 'up', '--yes'])
    expect([up.exit, up.err]).toEqual([3, expect.stringContaining('API_FORBIDDEN')])
  }, 120_000)
})

/** Expects that the function serves the dashboard with its headers, and no object of the bucket. */
async function expectDashboard(apiUrl: string): Promise<void> {
  const page = await fetch(`${apiUrl}/`)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(page.headers.get('x-content-type-options')).toBe('nosniff')
  expect(page.headers.get('cache-control')).toBe('no-store')
  const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text()) ?? []
  const asset = await fetch(apiUrl + script)
  expect(asset.headers.get('cache-control')).toContain('immutable')
  expect(asset.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect((await asset.text()).length).toBeGreaterThan(100_000)
  for (const path of ['blobs/', 'programs/', 'assets/..%2findex.html', 'main.mjs', 'index.html'])
    expect((await fetch(`${apiUrl}/${path}`)).status, path).toBe(404)
}
