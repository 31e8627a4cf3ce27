import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { outboundVariables } from '../../shared/config/outbound-variables.ts'
import { type GithubHost, repository, startGithubHost } from '../e2e/github-host.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { requireSuccess } from '../e2e/sandbox.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'
import { openStockClient, type StockClient } from './stock-client.ts'

let client: StockClient | undefined

let host: GithubHost | undefined

afterEach(async () => {
  host?.close()
  await client?.remove()
  client = host = undefined
})

const credential = 'ghs_credential'
/** Variables of a server that may call a host on this machine. */
const serverVariables = {
  [outboundVariables.allowedNetworks]: '127.0.0.1/32',
  [outboundVariables.plainHttp]: '1',
}

const goldSdk = join(import.meta.dirname, '..', 'golden', 'provider', 'sdk.js')
const files = {
  'gold.js': readFileSync(goldSdk, 'utf8'),
  'package.json': JSON.stringify({ name: 'sent', private: true }),
}

/** Opens a client with the stack `dev`, whose program is uploaded and was never deployed. */
async function openWithUpload(): Promise<StockClient> {
  const cli = buildPulumiCli(cliVersions[0])
  const opened = await openStockClient(cli, 'small', {
    sdk: 'above',
    files,
    serverEnv: serverVariables,
  })
  client = opened
  const { pulumi, antichain, sandbox, url, token } = opened
  requireSuccess(await pulumi(['stack', 'init', 'dev']))
  const env = { ANTICHAIN_HOME: join(sandbox.home, 'login'), ANTICHAIN_TOKEN: token }
  requireSuccess(await antichain(['login', url], { env }))
  requireSuccess(await antichain(['deploy', '-s', 'dev'], { env }))
  return opened
}

const streamLogs = '--suppress-stream-logs=false'

describeWithCommands("deployments of Pulumi's own command line", [['go', 'version']], () => {
  test('run every operation of an uploaded program, with its events, and are listed', async () => {
    const { pulumi, sandbox } = await openWithUpload()
    const run = async (operation: string): Promise<string> =>
      requireSuccess(await pulumi(['deployment', 'run', operation, streamLogs])).out
    expect(await run('preview')).toContain('2 to create')
    expect(sandbox.listObjects()).toEqual([])
    expect(await run('update')).toMatch(/thing created[\s\S]*2 created/)
    expect(sandbox.listObjects()).toHaveLength(1)
    expect(await run('refresh')).toContain('2 unchanged')
    expect(await run('detect-drift')).toContain('succeeded: 2 same')
    expect(await run('remediate-drift')).toContain('succeeded: 2 same')
    // The client can read the state that our engine published.
    expect(requireSuccess(await pulumi(['stack', 'output', 'serial'])).out).toContain('thing-1')
    const listed = JSON.parse(
      requireSuccess(await pulumi(['deployment', 'list', '--output', 'json'])).out,
    ) as { total: number; deployments: { status: string; version: number }[] }
    expect(listed.total).toBe(5)
    expect(listed.deployments.map(({ version, status }) => `${version} ${status}`)).toEqual(
      [5, 4, 3, 2, 1].map(version => `${version} succeeded`),
    )
    expect(requireSuccess(await pulumi(['deployment', 'get', '2'])).out).toMatch(/ID: +dep-2/)
    const log = requireSuccess(await pulumi(['deployment', 'log', '2', '--all'])).out
    expect(log).toMatch(/^\[pulumi update\]\n(.*\n)*create .*::thing\n(.*\n)*succeeded: 2 create\n/)
    sandbox.setFaults({ 'delete:thing': 'always' })
    const failed = await pulumi(['deployment', 'run', 'destroy', streamLogs])
    expect([failed.exit, failed.err]).toEqual([1, expect.stringContaining('deployment failed')])
    sandbox.setFaults({})
    expect(await run('destroy')).toContain('2 deleted')
    expect(sandbox.listObjects()).toEqual([])
  }, 300_000)

  test('need a webhook if they deploy a commit, and the schedules of both command lines are the same', async () => {
    const { pulumi, antichain, sandbox } = await openWithUpload()
    host = await startGithubHost(credential)
    const schedule = async (...args: string[]): Promise<string> =>
      requireSuccess(await pulumi(['stack', 'schedule', ...args])).out
    const cronArgs = ['--cron', '0 */4 * * *']
    const raw = await schedule('new', '--kind', 'raw', '--operation', 'refresh', ...cronArgs)
    expect(raw).toMatch(/Type: +raw[\s\S]*Settings: +pulumi refresh/)
    const drift = await schedule('new', '--kind', 'drift', '--auto-remediate', ...cronArgs)
    expect(drift).toContain('detect + auto-remediate')
    const onceArgs = ['--once', '2099-01-01T00:00:00Z']
    expect(await schedule('new', '--kind', 'ttl', ...onceArgs)).toMatch(/Type: +ttl/)
    const id = /ID: +(\S+)/.exec(raw)?.[1] ?? ''
    expect(await schedule('edit', id, '--operation', 'preview')).toContain('pulumi preview')
    const ours = requireSuccess(await antichain(['schedule', 'ls', '-s', 'dev'])).out
    expect(ours).toMatch(new RegExp(`${id} .*preview at 0 \\*/4`))
    expect(ours).toContain('destroy at at(2099-01-01T00:00:00)')
    requireSuccess(await antichain(['schedule', 'rm', id, '-s', 'dev']))
    const listed = await schedule('list', '--output', 'json')
    const ids = [...listed.matchAll(/"id": "([^"]+)"/g)].map(([, name = '']) => name)
    expect(ids).toHaveLength(2)
    await schedule('remove', ids[0] ?? '', '--yes')
    expect(requireSuccess(await pulumi(['stack', 'drift', 'status'])).out).toContain('never run')
    expect(requireSuccess(await pulumi(['stack', 'policy', 'list'])).out).toMatch(/^No Policy Gr/)

    // The archive of the commit has other values than the upload.
    const commit = host.commit({
      'infra/Pulumi.yaml': 'name: small\nruntime: nodejs\n',
      'infra/index.js': "const { Thing } = require('./gold')\nnew Thing('thing', { value: 7 })\n",
      'infra/gold.js': files['gold.js'],
    })
    const settingsArgs = ['--git-url', `${host.origin}/${repository}.git`, '--branch', 'main']
    requireSuccess(await pulumi(['deployment', 'settings', 'edit', ...settingsArgs]))
    const runArgs = ['deployment', 'run', 'update', '--git-commit', commit, streamLogs]
    const refused = await pulumi(runArgs)
    expect(refused.err).toContain(
      `no webhook admits this operation of the repository ${repository}`,
    )
    const stack = 'organization/small/dev'
    const rules = [{ on: 'push', repository, branches: ['main'], stack, folder: 'infra' }]
    writeFileSync(join(sandbox.program, 'rules.json'), JSON.stringify(rules))
    const webhookArgs = ['webhook', 'create', 'site', '--rules', 'rules.json']
    const env = {
      ...serverVariables,
      ANTICHAIN_SECRET: 's'.repeat(20),
      ANTICHAIN_CREDENTIAL: credential,
    }
    requireSuccess(await antichain([...webhookArgs, '--api-url', host.origin], { env }))
    expect(requireSuccess(await pulumi(runArgs)).out).toContain('2 created')
    expect(sandbox.listObjects()).toMatchObject([{ props: { value: 7 } }])
    expect(host.listStatuses(commit).map(({ state }) => state)).toContain('pending')
  }, 300_000)
})
