import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import {
  createSandbox,
  type Sandbox,
  type RunningCommand,
  requireSuccess,
  waitUntil,
} from './sandbox.ts'

const goldSdk = readFileSync(
  join(import.meta.dirname, '..', 'golden', 'provider', 'sdk.js'),
  'utf8',
)
const manifest = JSON.stringify({ name: 'sent', private: true })

let sandboxes: Sandbox[] = []
let serving: RunningCommand | undefined

afterEach(async () => {
  if (serving !== undefined) {
    serving.kill('SIGKILL', 'group')
    await serving.done
  }
  serving = undefined
  for (const sandbox of sandboxes) sandbox.remove()
  sandboxes = []
})

/** Starts `antichain serve --port` in a sandbox and returns its address. */
async function serve(sandbox: Sandbox, port = 0): Promise<string> {
  // The provider logs each requested change and takes 3 s per call.
  const { PATH: path = '' } = sandbox.createEnvironment()
  const PATH = [sandbox.program, path].join(delimiter)
  const env = { GOLD_ASKED: '1', DELAY: '3000', PATH }
  const started = sandbox.start(['serve', '--port', String(port)], { env })
  serving = started
  const addressPattern = /The API is at (http:\/\/127\.0\.0\.1:\d+)/
  const isListening = (): boolean => addressPattern.test(started.readOutput())
  await waitUntil(isListening, { condition: 'an API', limitMs: 60_000 })
  return addressPattern.exec(started.readOutput())?.[1] ?? ''
}

/** Opens a server with its store, and the folder of a client that has logged in to it. */
async function openServerAndClient(): Promise<{
  server: Sandbox
  client: Sandbox
  url: string
  token: string
}> {
  const [server, client] = [
    createSandbox(undefined, { sdk: 'above' }),
    createSandbox('small', { sdk: false, files: { 'gold.js': goldSdk, 'package.json': manifest } }),
  ]
  sandboxes = [server, client]
  const url = await serve(server)
  const token = requireSuccess(await server.run(['token', 'create', '--admin'])).out.trim()
  requireSuccess(await client.run(['login', url], { env: { ANTICHAIN_TOKEN: token } }))
  return { server, client, url, token }
}

test('a program is deployed over the API, displayed while it runs, and exported as it is stored on the server', async () => {
  const { server, client, url, token } = await openServerAndClient()
  const who = requireSuccess(await client.run(['whoami', '--json'])).out
  const names = { user: 'admin', organizations: ['organization'] }
  expect(JSON.parse(who)).toEqual({ url, name: 'admin', role: 'admin', stacks: '*', ...names })
  requireSuccess(await client.run(['stack', 'init', 'dev']))
  const up = requireSuccess(await client.run(['up', '--yes']))
  // The preview and the deployment are displayed as in a local run.
  expect(up.out).toMatch(/Previewing|preview/i)
  expect(up.out).toContain('Forecast:')
  expect(up.out).toMatch(/created/)
  const shown = requireSuccess(await client.run(['deployment', 'show'])).out
  const cost = requireSuccess(await client.run(['deployment', 'cost'])).out
  expect(cost).toMatch(/Deployment \d+: update, succeeded, by .* \(API\)\nCost: \$0\. /)
  expect(shown).toMatch(
    /Deployment 1: update, succeeded, by .* \(API\)\nTime: .*\n {4}provider calls/,
  )
  expect(server.listObjects().length).toBeGreaterThan(0)
  expect(client.listObjects()).toEqual([])
  const exported = await client.exportState()
  const exportedOnServer = requireSuccess(
    await server.run(['stack', 'export', '-s', readStackName(exported)]),
  ).out
  expect(exported).toBe(exportedOnServer)
  const history = JSON.parse(requireSuccess(await client.run(['stack', 'history', '--json'])).out)
  expect(history).toMatchObject([{ kind: 'update', result: 'succeeded' }])
  expect(requireSuccess(await client.run(['stack', 'ls'])).out).toContain('dev')
  // An update without changes prints its events as JSON.
  const unchangedUp = requireSuccess(await client.run(['up', '--yes', '--skip-preview', '--json']))
  const events = unchangedUp.out
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as object)
  expect(events.some(event => 'summaryEvent' in event)).toBe(true)
  await attachAndDetachPolicies(server, client)
  requireSuccess(await client.run(['destroy', '--yes', '--skip-preview']))
  expect(server.listObjects()).toEqual([])
  requireSuccess(await client.run(['stack', 'rm', '--yes', 'dev']))
  // A revoked token is refused, and a logout removes the stored token.
  // The id has 16 characters, after the prefix 'act_'.
  const id = token.slice(4, 20)
  requireSuccess(await server.run(['token', 'revoke', id]))
  const refused = await client.run(['stack', 'ls'])
  expect([refused.exit, refused.err]).toEqual([3, expect.stringContaining('API_TOKEN_REFUSED')])
  requireSuccess(await client.run(['logout']))
  expect(requireSuccess(await client.run(['whoami'])).out).toContain('this machine')
}, 240_000)

/** Checks that attached policy packs run, and that a broken one changes nothing. */
async function attachAndDetachPolicies(server: Sandbox, client: Sandbox): Promise<void> {
  const fixture = join(
    import.meta.dirname,
    '../../shared/runtime/policy-packs/policy-pack.fixture.ts',
  )
  const runner = join(server.program, 'pulumi-analyzer-policy-fixture')
  writeFileSync(runner, `#!/bin/sh\nexec ${process.execPath} ${fixture} "$@"\n`)
  chmodSync(runner, 0o755)
  const attach = async (name: string, runtime: string): Promise<void> => {
    const folder = join(client.program, name)
    mkdirSync(folder)
    writeFileSync(join(folder, 'PulumiPolicy.yaml'), `runtime: ${runtime}\n`)
    requireSuccess(await client.run(['policy', 'attach', name]))
  }
  await attach('rules', 'fixture')
  const listed = requireSuccess(await client.run(['policy', 'ls', '--attached'])).out
  expect(listed).toMatch(/rules +[0-9a-f]{12} +small\/dev/)
  const checked = requireSuccess(await client.run(['up', '--yes', '--skip-preview']))
  expect(checked.out).toContain('thing over 3')
  await attach('broken', 'nothing')
  const before = server.listObjects()
  const program = join(client.program, 'index.js')
  const source = readFileSync(program, 'utf8')
  writeFileSync(program, source.replace('value: 1', 'value: 2'))
  const refused = await client.run(['up', '--yes', '--skip-preview'])
  writeFileSync(program, source)
  expect(refused.exit).not.toBe(0)
  expect(refused.err + refused.out).toContain("cannot use the policy pack 'broken'")
  expect(server.listObjects()).toEqual(before)
  requireSuccess(await client.run(['policy', 'detach', 'broken']))
  requireSuccess(await client.run(['policy', 'detach', 'rules']))
}

test('after the server was killed, a deployment and its display continue', async () => {
  const { server, client, url } = await openServerAndClient()
  requireSuccess(await client.run(['stack', 'init', 'dev']))
  requireSuccess(await client.run(['up', '--yes', '--skip-preview']))
  const program = join(client.program, 'index.js')
  writeFileSync(program, readFileSync(program, 'utf8').replace('value: 1', 'value: 2'))
  const up = client.start(['up', '--yes', '--skip-preview'])
  const hasReachedProvider = (): boolean =>
    server.listChanges().some(({ call }) => call === 'update')
  await waitUntil(hasReachedProvider, { condition: 'an update', limitMs: 60_000 })
  serving?.kill('SIGKILL', 'group')
  await serving?.done
  await serve(server, Number(new URL(url).port))
  const ended = requireSuccess(await up.done)
  expect(ended.out).toMatch(/updated/)
  expect(serving?.readOutput()).toContain('resuming')
  const secondResume = await client.run(['resume', '--yes'])
  expect([secondResume.exit, secondResume.err]).toEqual([
    1,
    expect.stringContaining('NOTHING_TO_RESUME'),
  ])
  const state = JSON.parse(await client.exportState()) as {
    deployment: { pending_operations?: [] }
  }
  expect(state.deployment.pending_operations ?? []).toEqual([])
}, 240_000)

test('a resume over the API displays the deployment from its beginning, as the first command does', async () => {
  const { server, client } = await openServerAndClient()
  requireSuccess(await client.run(['stack', 'init', 'dev']))
  const up = client.start(['up', '--yes', '--skip-preview'])
  const hasReachedProvider = (): boolean =>
    server.listChanges().some(({ call }) => call === 'create')
  await waitUntil(hasReachedProvider, { condition: 'a create', limitMs: 60_000 })
  up.kill('SIGKILL', 'group')
  await up.done
  const seen = requireSuccess(await client.run(['resume', '--yes']))
  expect(seen.err).toContain("Resuming deployment 1 of 'dev' (up).")
  expect(seen.out).toMatch(/created/)
  const history = JSON.parse(requireSuccess(await client.run(['stack', 'history', '--json'])).out)
  expect(history).toMatchObject([{ kind: 'update', result: 'succeeded' }])
  const refused = await client.run(['resume', '--yes', '--show-secrets'])
  expect([refused.exit, refused.err]).toEqual([
    expect.any(Number),
    expect.stringContaining('FEATURE_MISSING'),
  ])
}, 240_000)

test('a state is edited and imported, and its stack renamed, over the API of a serving process', async () => {
  const { client } = await openServerAndClient()
  requireSuccess(await client.run(['stack', 'init', 'dev']))
  requireSuccess(await client.run(['up', '--yes', '--skip-preview']))
  requireSuccess(await client.run(['state', 'protect', '--all']))
  const exported = await client.exportState()
  expect(exported).toContain('"protect": true')
  requireSuccess(await client.run(['state', 'delete', '--all', '--force']))
  const input = exported.replaceAll('"protect": true', '"protect": false')
  const imported = requireSuccess(await client.run(['stack', 'import'], { input }))
  expect(imported.err).toContain('Import complete.')
  requireSuccess(await client.run(['stack', 'rename', 'live']))
  const unchangedUp = ['up', '--yes', '--skip-preview', '--expect-no-changes', '-s', 'live']
  requireSuccess(await client.run(unchangedUp))
  const history = JSON.parse(requireSuccess(await client.run(['stack', 'history', '--json'])).out)
  // The newest first: the second up, rename, import, delete, protect, and the first up.
  const kinds = ['update', 'rename', 'import', 'state', 'state', 'update']
  expect(history.map(({ kind }: { kind: string }) => kind)).toEqual(kinds)
}, 240_000)

function readStackName(exported: string): string {
  const { deployment } = JSON.parse(exported) as { deployment: { resources: { urn: string }[] } }
  const [, stack = '', project = ''] =
    /^urn:pulumi:([^:]+)::([^:]+)::/.exec(deployment.resources[0]?.urn ?? '') ?? []
  return `organization/${project}/${stack}`
}
