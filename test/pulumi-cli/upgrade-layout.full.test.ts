/** Upgrades two copies of a backend of the legacy layout, one with each command line. */
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CommandOutput, createSandbox, requireSuccess } from '../e2e/sandbox.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'
import { stockVariablesOf } from './stock-variables.ts'

const fixture = join(import.meta.dirname, '../fixtures/backends/legacy')
const timeoutMs = 600_000

describeWithCommands('state upgrade of both command lines', [['go', 'version']], () => {
  const sandbox = createSandbox('many')
  let cli = ''
  beforeAll(() => {
    cli = buildPulumiCli(cliVersions[0])
  }, timeoutMs)
  afterAll(() => sandbox.remove())

  const environmentOf = (name: string) => ({
    ...stockVariablesOf(sandbox),
    PULUMI_BACKEND_URL: `file://${sandbox.home}-${name}`,
    PULUMI_DIY_BACKEND_IGNORE_DEPRECATION_ERROR: 'true',
    PULUMI_HOME: join(sandbox.home, '../pulumi-home'),
  })
  const runPulumi = async (name: string, ...args: readonly string[]): Promise<CommandOutput> =>
    requireSuccess(
      await sandbox.run(['--non-interactive', ...args], {
        command: cli,
        env: environmentOf(name),
      }),
    )
  const runAntichain = async (name: string, ...args: readonly string[]): Promise<CommandOutput> =>
    requireSuccess(await sandbox.run(args, { env: environmentOf(name) }))
  /** Reads all objects of a backend, by key. */
  const readObjects = (name: string): ReadonlyMap<string, string> => {
    const folder = `${sandbox.home}-${name}`
    const entries = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    const files = entries.filter(entry => entry.isFile() && !entry.name.endsWith('.attrs'))
    return new Map(
      files
        .map(({ parentPath, name: file }) => join(parentPath, file))
        .toSorted()
        .map(path => [path.slice(folder.length), readFileSync(path, 'utf8')]),
    )
  }

  test(
    'the upgraded objects are equal byte for byte, and each command line uses those of the other',
    async () => {
      for (const name of ['ours', 'stock'])
        cpSync(fixture, `${sandbox.home}-${name}`, { recursive: true })
      await runAntichain('ours', 'state', 'upgrade', '--yes')
      await runPulumi('stock', 'state', 'upgrade', '--yes')
      const [ours, stock] = [readObjects('ours'), readObjects('stock')]
      expect([...ours.keys()]).toContain('/.pulumi/stacks/shop/old.json')
      expect([...ours]).toEqual([...stock])

      const stackArgs = ['-s', 'organization/shop/old']
      const exported = await runPulumi('ours', 'stack', 'export', ...stackArgs)
      expect((await runAntichain('stock', 'stack', 'export', ...stackArgs)).out).toBe(exported.out)
      const history = await runPulumi('ours', 'stack', 'history', '-j', ...stackArgs)
      const entries = JSON.parse(
        (await runAntichain('stock', 'stack', 'history', '-j', ...stackArgs)).out,
      )
      expect(entries.map(({ kind }: { kind: string }) => kind)).toEqual(
        JSON.parse(history.out).map(({ kind }: { kind: string }) => kind),
      )
    },
    timeoutMs,
  )
})
