/** Deploys a state of an early version of Pulumi, which has no providers, with each command line. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSandbox, requireSuccess } from '../e2e/sandbox.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'
import { stockVariablesOf } from './stock-variables.ts'

const timeoutMs = 600_000
const clients = ['ours', 'stock'] as const
const program = `'use strict'
const { Thing, Other } = require('./gold')
const first = new Thing('first', { value: 1 })
new Other('second', { value: first.serial })
`

interface EarlyState {
  readonly deployment: {
    readonly manifest: Record<string, unknown>
    readonly resources: ({ readonly urn: string } & Record<string, unknown>)[]
  }
}

describeWithCommands('a state without providers', [['go', 'version']], () => {
  const sandbox = createSandbox('small', { files: { 'index.js': program } })
  const stateFile = join(sandbox.home, '../early.json')
  let cli = ''
  beforeAll(() => {
    for (const client of clients) mkdirSync(`${sandbox.home}-${client}`)
    cli = buildPulumiCli(cliVersions[0])
  }, timeoutMs)
  afterAll(() => sandbox.remove())

  const run = async (client: (typeof clients)[number], ...args: readonly string[]) => {
    const PULUMI_BACKEND_URL = `file://${sandbox.home}-${client}`
    if (client === 'ours')
      return requireSuccess(await sandbox.run(args, { env: { PULUMI_BACKEND_URL } })).out
    const PULUMI_HOME = join(sandbox.home, '../pulumi-home')
    const env = { ...stockVariablesOf(sandbox), PULUMI_BACKEND_URL, PULUMI_HOME }
    const stockArgs = ['--non-interactive', ...args]
    return requireSuccess(await sandbox.run(stockArgs, { command: cli, env })).out
  }
  /** Returns the state without the values that differ in each run. */
  const exportComparable = async (
    client: (typeof clients)[number],
  ): Promise<Omit<EarlyState['deployment'], 'manifest'>> => {
    const text = (await run(client, 'stack', 'export', '-s', 'dev'))
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
      .replaceAll(/"(time|created|modified)": "[^"]*"/g, '"$1": ""')
      .replaceAll(/"ciphertext": "[^"]*"/g, '"ciphertext": ""')
    const { manifest: _manifest, ...deployment } = (JSON.parse(text) as EarlyState).deployment
    // Pulumi sorts unchanged resources by their registrations. Ours keep their places.
    const resources = deployment.resources.toSorted((a, b) => (a.urn < b.urn ? -1 : 1))
    return { ...deployment, resources }
  }

  test(
    'our deployments add the default providers that Pulumi adds, and change no resource',
    async () => {
      await run('ours', 'stack', 'init', 'dev')
      await run('ours', 'config', 'set', 'gold:region', 'north', '-s', 'dev')
      await run('ours', 'config', 'set', '--secret', 'gold:token', 'hush', '-s', 'dev')
      await run('ours', 'up', '--yes', '--skip-preview', '-s', 'dev')
      const changeCount = sandbox.listChanges().length
      const state = JSON.parse(await run('ours', 'stack', 'export', '-s', 'dev')) as EarlyState
      const resources = state.deployment.resources
        .filter(({ type }) => type !== 'pulumi:providers:gold')
        .map(({ provider: _provider, ...resource }) => resource)
      expect(resources).toHaveLength(3)
      const writeState = (plugins: object): void => {
        const manifest = { ...state.deployment.manifest, ...plugins }
        const deployment = { ...state.deployment, manifest, resources }
        writeFileSync(stateFile, JSON.stringify({ ...state, deployment }))
      }
      await run('stock', 'stack', 'init', 'dev')
      // A version of the manifest counts only without a program, which has its own versions.
      const plugins = [{ name: 'gold', path: '', type: 'resource', version: '0.0.1' }]
      for (const [command, manifestFields] of [
        ['up', {}],
        ['refresh', { plugins }],
      ] as const) {
        writeState(manifestFields)
        for (const client of clients) {
          await run(client, 'stack', 'import', '-s', 'dev', '--file', stateFile)
          await run(client, command, '--yes', '--skip-preview', '-s', 'dev')
        }
        const [ours, stock] = [await exportComparable('ours'), await exportComparable('stock')]
        expect(ours).toEqual(stock)
        const providers = ours.resources.filter(({ type }) => type === 'pulumi:providers:gold')
        expect(providers).not.toEqual([])
      }
      expect(sandbox.listChanges()).toHaveLength(changeCount)
      expect(sandbox.listObjects()).toHaveLength(2)
      await run('ours', 'stack', 'import', '-s', 'dev', '--file', stateFile)
      await run('ours', 'destroy', '--yes', '--skip-preview', '-s', 'dev')
      expect(sandbox.listObjects()).toEqual([])
    },
    timeoutMs,
  )
})
