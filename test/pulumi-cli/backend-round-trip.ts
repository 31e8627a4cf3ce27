/** Suites that run `antichain` and Pulumi's command line in turn on one self-managed backend. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BackendLayout } from '../../shared/backends/backend-keys.ts'
import { createSecretFinder } from '../aws/secret-finder.ts'
import { verifyExport } from '../verifier/verify.ts'
import { findLostObjects, parseExport, upArgs } from '../e2e/exported-state.ts'
import {
  type CommandOutput,
  createSandbox,
  requireSuccess,
  type RunningCommand,
  waitUntil,
} from '../e2e/sandbox.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'
import {
  type BackendAddress,
  type BackendScheme,
  createBackendAddress,
  legacyLayoutEnv,
} from './create-backend-address.ts'
import { stockVariablesOf } from './stock-variables.ts'

const timeoutMs = 600_000
const secret = 'a secret that no object contains'

/** Fifty objects with the secret, which take 150 ms each. Every fifth depends on the previous one. */
const program = `'use strict'
const pulumi = require('@pulumi/pulumi')
const { Thing } = require('./gold')
const token = new pulumi.Config().requireSecret('token')
let previous
for (let n = 0; n < 50; n++)
  previous = new Thing('thing-' + n, { delay: 150, token }, n % 5 === 4 ? { dependsOn: previous } : {})
exports.token = token
`

/** Registers the tests of one backend for each pair of scheme and layout. */
export function describeRoundTrips(
  cases: readonly (readonly [scheme: BackendScheme, layout: BackendLayout])[],
): void {
  describeWithCommands('both command lines in turn', [['go', 'version']], () => {
    describe.each(cases)('a backend of %s:// with the %s layout', describeRoundTrip)
  })
}

function describeRoundTrip(scheme: BackendScheme, layout: BackendLayout): void {
  const sandbox = createSandbox('many', { files: { 'index.js': program } })
  const stockHome = join(sandbox.home, '../pulumi-home')
  const folder = `${sandbox.home}-backend`
  let env: Readonly<Record<string, string>> = {}
  let cli = ''
  let backend: BackendAddress
  beforeAll(async () => {
    cli = buildPulumiCli(cliVersions[0])
    backend = await createBackendAddress(scheme, folder)
    env = {
      ...backend.env,
      PULUMI_BACKEND_URL: backend.address,
      ...(layout === 'legacy' ? legacyLayoutEnv : {}),
    }
    requireSuccess(await sandbox.run(['login', backend.address], { env }))
  }, timeoutMs)
  afterAll(() => sandbox.remove())

  const runAntichain = async (...args: readonly string[]): Promise<CommandOutput> =>
    requireSuccess(await sandbox.run(args, { env }))
  const startPulumi = (...args: readonly string[]): RunningCommand => {
    const variables = { ...env, ...stockVariablesOf(sandbox), PULUMI_HOME: stockHome }
    return sandbox.start(['--non-interactive', ...args], { command: cli, env: variables })
  }
  const runPulumi = (...args: readonly string[]): Promise<CommandOutput> =>
    startPulumi(...args).done
  const runPulumiSuccessfully = async (...args: readonly string[]) =>
    requireSuccess(await runPulumi(...args))
  const expectSameState = async (): Promise<string> => {
    const { out } = await runPulumiSuccessfully('stack', 'export', '-s', 'dev')
    expect((await runAntichain('stack', 'export', '-s', 'dev')).out).toBe(out)
    return out
  }

  /** Expects objects that contain no secret, also when they are compressed. */
  const expectNoPlaintext = async (): Promise<void> => {
    const objects = await backend.readObjects()
    const countWith = (text: string): number =>
      objects.filter(bytes => createSecretFinder({ text }).findIn(bytes).size > 0).length
    expect(countWith(secret)).toBe(0)
    // The search is able to find a text: the URNs of the resources are in plaintext.
    expect(countWith('gold:index:Thing::thing-1')).toBeGreaterThan(0)
  }

  /** Returns the text of the configuration in each entry of the history of `dev`. */
  const readHistoryConfigs = (): readonly string[] => {
    const historyFolder = join(folder, '.pulumi/history')
    return readdirSync(historyFolder, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.history.json'))
      .map(name => readFileSync(join(historyFolder, name), 'utf8'))
      .map(text => /"config":(.*),"version":/.exec(text)?.[1] ?? '')
  }

  /**
   * Reads the checkpoint of `dev` in the folder of the backend, without the ciphertexts of secrets,
   * because an import by Pulumi encrypts them again.
   */
  const readCheckpoint = (): string => {
    const [project = ''] = readdirSync(join(folder, '.pulumi/stacks'), { withFileTypes: true })
      .filter(entry => entry.isDirectory())
      .map(({ name }) => name)
    const path = layout === 'legacy' ? 'dev.json' : `${project}/dev.json`
    const text = readFileSync(join(folder, '.pulumi/stacks', path), 'utf8')
    return text.replaceAll(/"ciphertext":\s*"[^"]*"/g, '"ciphertext"')
  }

  test(
    'our killed deployment keeps its lock, our next command recovers the deployment, and Pulumi continues',
    async () => {
      await runAntichain('stack', 'init', 'dev')
      await runAntichain('config', 'set', '--secret', 'token', secret, '-s', 'dev')
      const running = sandbox.start([...upArgs, '-p', '8'], { env })
      await waitUntil(() => sandbox.listObjects().length >= 9, { condition: 'nine objects' })
      running.kill('SIGKILL', 'group')
      await running.done
      const busy = await runPulumi('refresh', '--yes', '--skip-preview', '-s', 'dev')
      expect(busy.err).toContain('the stack is currently locked by 1 lock(s)')
      expect(busy.err).toContain(`(pid ${running.pid})`)
      await runAntichain(...upArgs, '-p', '8')
      const state = await expectSameState()
      expect(verifyExport(state, { sealed: true })).toEqual([])
      expect(findLostObjects(sandbox, parseExport(state))).toEqual([])

      const createdCount = sandbox.listObjects().length
      await runPulumiSuccessfully('up', '--yes', '--skip-preview', '-s', 'dev', '-m', 'by Pulumi')
      expect(sandbox.listObjects()).toHaveLength(createdCount)
      const outputs = ['stack', 'output', '--json', '--show-secrets', '-s', 'dev']
      expect(JSON.parse((await runAntichain(...outputs)).out)).toEqual({ token: secret })
      await expectSameState()
      await expectNoPlaintext()
    },
    timeoutMs,
  )

  test(
    'both command lines see one history and the same stacks, and each deletes objects that the other created',
    async () => {
      await runAntichain(
        'refresh',
        '--yes',
        '--skip-preview',
        '-s',
        'dev',
        '--clear-pending-creates',
      )
      if (scheme === 'file') {
        // The recovered deployment, one of Pulumi, and the refresh.
        const configs = readHistoryConfigs()
        expect(configs.length).toBeGreaterThan(2)
        expect(configs[0]).toContain('"secure":"v1:')
        expect(new Set(configs).size).toBe(1)
        const checkpointBefore = readCheckpoint()
        const file = join(sandbox.home, '../state.json')
        writeFileSync(file, await expectSameState())
        await runPulumiSuccessfully('stack', 'import', '-s', 'dev', '--file', file)
        expect(readCheckpoint() === checkpointBefore).toBe(true)
      }
      const history = JSON.parse((await runAntichain('stack', 'history', '-s', 'dev', '-j')).out)
      const stockHistory = JSON.parse(
        (await runPulumiSuccessfully('stack', 'history', '-s', 'dev', '-j')).out,
      )
      const summaryOf = (entries: readonly { kind: string; message: string }[]) =>
        entries.map(({ kind, message }) => [kind, message])
      // Pulumi's command line records no import of a state. Ours shows the changed state as one.
      const ownHistory = summaryOf(history).filter(([kind]) => kind !== 'import')
      expect(ownHistory).toEqual(summaryOf(stockHistory))
      expect(summaryOf(history)).toContainEqual(['update', 'by Pulumi'])
      await runPulumiSuccessfully('stack', 'init', 'other')
      const names = JSON.parse((await runAntichain('stack', 'ls', '-j')).out) as { name: string }[]
      expect(names.map(({ name }) => name)).toEqual(['dev', 'other'])
      await runPulumiSuccessfully('stack', 'rm', 'other', '--yes')

      const { resources } = parseExport(await expectSameState())
      const managedIds = new Set(resources.map(({ id }) => id))
      const createdCount = sandbox.listObjects().length
      const destroyRun = startPulumi('destroy', '--yes', '--skip-preview', '-s', 'dev', '-p', '2')
      await waitUntil(() => sandbox.listObjects().length < createdCount, { condition: 'a delete' })
      destroyRun.kill('SIGKILL', 'group')
      await destroyRun.done
      const refused = await sandbox.run(['destroy', '--yes', '-s', 'dev'], { env })
      expect(refused.err).toMatch(/BACKEND_LOCKED.*\(process \d+\) since .*, \d+ s ago/)
      await runAntichain('cancel', '-s', 'dev', '--yes')
      await runAntichain('destroy', '--yes', '--skip-preview', '-s', 'dev')
      await expectNoPlaintext()
      // The kill of the first test left objects of pending creates, which no state has.
      expect(sandbox.listObjects().filter(({ id }) => managedIds.has(id))).toEqual([])
      await expectSameState()
      await runAntichain('stack', 'rm', 'dev', '--yes')
      expect(JSON.parse((await runPulumiSuccessfully('stack', 'ls', '-j')).out)).toEqual([])
    },
    timeoutMs,
  )
}
