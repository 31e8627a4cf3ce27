import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { findFilesWith } from '../e2e/find-files-with.ts'
import { requireSuccess } from '../e2e/sandbox.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'
import { openStockClient, type StockClient } from './stock-client.ts'

let client: StockClient | undefined

afterEach(async () => {
  await client?.remove()
  client = undefined
})

const [cliVersion] = cliVersions
const secret = 'a secret that no file contains'

const program = `'use strict'
const pulumi = require('@pulumi/pulumi')
const { Thing } = require('./gold')
const config = new pulumi.Config()
const thing = new Thing('thing', { value: config.requireSecret('text'), large: 12345678901234567890 })
exports.text = thing.value
`

async function openWithSecret(): Promise<StockClient> {
  const opened = await openStockClient(buildPulumiCli(cliVersion))
  client = opened
  const { pulumi, sandbox } = opened
  writeFileSync(join(sandbox.program, 'index.js'), program)
  requireSuccess(await pulumi(['stack', 'init', 'dev']))
  requireSuccess(await pulumi(['config', 'set', '--secret', 'text', secret]))
  requireSuccess(await pulumi(['up', '--yes', '--skip-preview']))
  return opened
}

describeWithCommands("operations of Pulumi's own command line", [['go', 'version']], () => {
  test('both engines use one stack in turn, with one key for its secrets', async () => {
    const { pulumi, antichain, sandbox } = await openWithSecret()
    const outputArgs = ['stack', 'output', '--show-secrets', '--json', '-s', 'dev']
    expect(JSON.parse(requireSuccess(await pulumi(outputArgs)).out)).toEqual({ text: secret })
    expect(JSON.parse(requireSuccess(await antichain(outputArgs)).out)).toEqual({ text: secret })
    const noChanges = ['up', '--yes', '--skip-preview', '--expect-no-changes', '-s', 'dev']
    requireSuccess(await antichain(noChanges))
    requireSuccess(await pulumi(noChanges))
    requireSuccess(await pulumi(['refresh', '--yes', '--skip-preview', '--expect-no-changes']))
    requireSuccess(await pulumi(['preview', '--expect-no-changes']))
    const history = requireSuccess(await pulumi(['stack', 'history', '--json'])).out
    const kinds = (JSON.parse(history) as { kind: string; result: string }[]).map(
      ({ kind, result }) => `${kind} ${result}`,
    )
    expect(kinds).toEqual([
      'refresh succeeded',
      'update succeeded',
      'update succeeded',
      'update succeeded',
    ])
    const readKinds = async (update: string, ...options: readonly string[]) => {
      const args = ['stack', 'history', 'events', update, '--all', '--output', 'json', ...options]
      const events = JSON.parse(requireSuccess(await pulumi(args)).out) as Record<string, unknown>[]
      return [...new Set(events.flatMap(Object.keys))].filter(key => key.endsWith('Event'))
    }
    // In Pulumi's table of events, 5 is the summary, and 7 the outputs of a resource.
    for (const update of ['latest', '1', 'deployment-2'])
      expect(await readKinds(update, '--event-type', '5')).toEqual(['summaryEvent'])
    const urn = 'urn:pulumi:dev::small::pulumi:pulumi:Stack::small-dev'
    const kindsOfStack = await readKinds('1', '--urn', urn, '--event-type', '7')
    expect(kindsOfStack).toEqual(['resOutputsEvent'])
    expect(findFilesWith(sandbox.home, secret)).toEqual([])
    requireSuccess(await antichain(['destroy', '--yes', '--skip-preview', '-s', 'dev']))
    expect(sandbox.listObjects()).toEqual([])
    requireSuccess(await pulumi(['stack', 'rm', '--yes', 'dev']))
  }, 900_000)

  test('a rename keeps state, tags and secrets, and an import publishes a state', async () => {
    const { pulumi, sandbox } = await openWithSecret()
    requireSuccess(await pulumi(['stack', 'tag', 'set', 'team', 'a']))
    requireSuccess(await pulumi(['stack', 'rename', 'prod']))
    expect(requireSuccess(await pulumi(['stack', 'tag', 'get', 'team'])).out.trim()).toBe('a')
    const output = await pulumi(['stack', 'output', 'text', '--show-secrets', '-s', 'prod'])
    expect(requireSuccess(output).out.trim()).toBe(secret)
    const noChanges = ['up', '--yes', '--skip-preview', '--expect-no-changes', '-s', 'prod']
    requireSuccess(await pulumi(noChanges))
    const file = join(sandbox.program, 'state.json')
    requireSuccess(await pulumi(['stack', 'export', '--file', file]))
    requireSuccess(await pulumi(['stack', 'import', '--file', file]))
    requireSuccess(await pulumi(noChanges))
    const version1 = requireSuccess(await pulumi(['stack', 'export', '--version', '1'])).out
    expect(JSON.parse(version1)).toMatchObject({ version: 3 })
    requireSuccess(await pulumi(['state', 'unprotect', '--all', '--yes']))
    // A destroy outside of the project folder reads the latest configuration from the server.
    const emptyFolder = join(sandbox.home, '../empty')
    mkdirSync(emptyFolder)
    const stack = ['--stack', 'organization/small/other', '--cwd', emptyFolder]
    requireSuccess(await pulumi(['stack', 'init', 'other']))
    const emptyState = JSON.stringify({ version: 3, deployment: {} })
    writeFileSync(file, emptyState)
    requireSuccess(await pulumi(['stack', 'import', '--file', file, '-s', 'other']))
    requireSuccess(await pulumi(['destroy', '--yes', '--skip-preview', ...stack]))
  }, 900_000)

  test('a refresh that finds changes appears as drift in queries', async () => {
    const { pulumi, antichain, sandbox } = await openWithSecret()
    const folder = join(sandbox.cloud, 'objects')
    for (const name of readdirSync(folder)) {
      const object = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { props: object }
      const props = { ...object.props, large: 7 }
      writeFileSync(join(folder, name), JSON.stringify({ ...object, props }))
    }
    requireSuccess(await pulumi(['refresh', '--yes', '--skip-preview']))
    const sql = 'select deployment, kind, paths from drift'
    const drift = requireSuccess(await antichain(['query', sql, '--json'])).out
    expect(JSON.parse(drift)).toEqual([{ deployment: 2, kind: 'update', paths: '["large"]' }])
  }, 900_000)

  test('a client that sends checkpoints instead of a journal destroys and deploys', async () => {
    const { pulumi, sandbox } = await openWithSecret()
    const env = { PULUMI_DISABLE_JOURNALING: 'true' }
    const before = JSON.parse(await sandbox.exportState()) as { deployment: { resources: [] } }
    requireSuccess(await pulumi(['destroy', '--yes', '--skip-preview'], env))
    requireSuccess(await pulumi(['up', '--yes', '--skip-preview'], env))
    const after = JSON.parse(await sandbox.exportState()) as { deployment: { resources: [] } }
    expect(after.deployment.resources).toHaveLength(before.deployment.resources.length)
    requireSuccess(await pulumi(['up', '--yes', '--skip-preview', '--expect-no-changes']))
  }, 900_000)
})
