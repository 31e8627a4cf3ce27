import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { requireSuccess } from '../e2e/sandbox.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'
import { openStockClient, type StockClient } from './stock-client.ts'

let client: StockClient | undefined

afterEach(async () => {
  await client?.remove()
  client = undefined
})

const goldSdk = join(import.meta.dirname, '..', 'golden', 'provider', 'sdk.js')
const files = {
  'gold.js': readFileSync(goldSdk, 'utf8'),
  'package.json': JSON.stringify({ name: 'sent', private: true }),
}

/** Opens a client with the stack `dev`, whose program is uploaded and was never deployed. */
async function openWithUpload(): Promise<StockClient> {
  const cli = buildPulumiCli(cliVersions[0])
  const opened = await openStockClient(cli, 'small', { sdk: 'above', files })
  client = opened
  const { pulumi, antichain, sandbox, url, token } = opened
  requireSuccess(await pulumi(['stack', 'init', 'dev']))
  const env = { ANTICHAIN_HOME: join(sandbox.home, 'login'), ANTICHAIN_TOKEN: token }
  requireSuccess(await antichain(['login', url], { env }))
  requireSuccess(await antichain(['deploy', '-s', 'dev'], { env }))
  return opened
}

const streamed = '--suppress-stream-logs=false'

describeWithCommands("deployments of Pulumi's own command line", [['go', 'version']], () => {
  test('run every operation of an uploaded program, with its events, and are listed', async () => {
    const { pulumi, sandbox } = await openWithUpload()
    const run = async (operation: string): Promise<string> =>
      requireSuccess(await pulumi(['deployment', 'run', operation, streamed])).out
    expect(await run('preview')).toContain('2 to create')
    expect(sandbox.listObjects()).toEqual([])
    expect(await run('update')).toMatch(/thing created[\s\S]*2 created/)
    expect(sandbox.listObjects()).toHaveLength(1)
    expect(await run('refresh')).toContain('2 unchanged')
    expect(await run('detect-drift')).toContain('succeeded: 2 same')
    expect(await run('remediate-drift')).toContain('succeeded: 2 same')
    // The state that our engine published is one that the client can read.
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
    const failed = await pulumi(['deployment', 'run', 'destroy', streamed])
    expect([failed.exit, failed.err]).toEqual([1, expect.stringContaining('deployment failed')])
    sandbox.setFaults({})
    expect(await run('destroy')).toContain('2 deleted')
    expect(sandbox.listObjects()).toEqual([])
  }, 300_000)

  test('and their schedules of each kind are created, changed and removed, also by our command', async () => {
    const { pulumi, antichain } = await openWithUpload()
    const schedule = async (...args: string[]): Promise<string> =>
      requireSuccess(await pulumi(['stack', 'schedule', ...args])).out
    const once = ['--once', '2099-01-01T00:00:00Z']
    const cron = ['--cron', '0 */4 * * *']
    const raw = await schedule('new', '--kind', 'raw', '--operation', 'refresh', ...cron)
    expect(raw).toMatch(/Type: +raw[\s\S]*Settings: +pulumi refresh/)
    const drift = await schedule('new', '--kind', 'drift', '--auto-remediate', ...cron)
    expect(drift).toContain('detect + auto-remediate')
    expect(await schedule('new', '--kind', 'ttl', ...once)).toMatch(/Type: +ttl/)
    const id = /ID: +(\S+)/.exec(raw)?.[1] ?? ''
    expect(await schedule('edit', id, '--operation', 'preview')).toContain('pulumi preview')
    const ours = requireSuccess(await antichain(['schedule', 'ls', '-s', 'dev'])).out
    expect(ours).toMatch(new RegExp(`${id} .*preview at 0 \\*/4`))
    expect(ours).toContain('destroy at at(2099-01-01T00:00:00)')
    requireSuccess(await antichain(['schedule', 'rm', id, '-s', 'dev']))
    const listed = await schedule('list', '--output', 'json')
    expect(listed).not.toContain(id)
    const ids = [...listed.matchAll(/"id": "([^"]+)"/g)].map(([, name = '']) => name)
    expect(ids).toHaveLength(2)
    for (const name of ids) await schedule('remove', name, '--yes')
    expect(await schedule('list')).toContain('No')
    expect(requireSuccess(await pulumi(['stack', 'drift', 'status'])).out).toContain('never run')
  }, 300_000)
})
