/** Exit codes of failures: those of Antichain equal those of Pulumi's own command line. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { createSandbox, type Sandbox } from '../e2e/sandbox.ts'
import { buildPulumiCli } from './build-cli.ts'
import { stockVariablesOf } from './stock-variables.ts'

type Env = Readonly<Record<string, string | undefined>>

/** A failure: the command line, and further variables and files of its program. */
interface Failure {
  readonly args: string
  readonly code: number
  readonly env?: Env
  readonly folder?: string
}

const projectWithConfig = 'name: codes\nruntime: nodejs\nconfig: { needed: { type: string } }\n'
const program = `
const pulumi = require('@pulumi/pulumi')
const { Thing } = require('./gold')
if (process.env.THROW) throw new Error('thrown')
if (process.env.WANT) new pulumi.Config().require('other')
new Thing('a', { value: process.env.VALUE || 'one' })
`
const files = {
  'Pulumi.yaml': 'name: codes\nruntime: nodejs\n',
  'Pulumi.dev.yaml': 'config: {}\n',
  'index.js': program,
  'needs-config/Pulumi.yaml': projectWithConfig,
  'broken-project/Pulumi.yaml': 'name: [\n',
  'unnamed-project/Pulumi.yaml': 'runtime: nodejs\n',
  'unknown-runtime/Pulumi.yaml': 'name: codes\nruntime: nothing\n',
  'broken-stack/Pulumi.yaml': 'name: codes\nruntime: nodejs\n',
  'broken-stack/Pulumi.dev.yaml': 'config:\n  codes:a: [\n',
}

const failures: readonly Failure[] = [
  { args: 'up --yes', folder: '..', code: 1 },
  { args: 'up --yes -s nope', code: 6 },
  { args: 'stack select nope', code: 6 },
  { args: 'stack output -s nope', code: 6 },
  { args: 'stack init dev', code: 1 },
  { args: 'preview -s dev', folder: 'needs-config', code: 1 },
  { args: 'preview -s dev', folder: 'broken-project', code: 1 },
  { args: 'preview -s dev', folder: 'unnamed-project', code: 1 },
  { args: 'preview -s dev', folder: 'unknown-runtime', code: 1 },
  { args: 'preview -s dev', folder: 'broken-stack', code: 1 },
  { args: 'config get missing', code: 1 },
  { args: 'config set a:b:c:d v', code: 1 },
  { args: 'up --frobnicate', code: 1 },
  { args: 'frobnicate', code: 1 },
  { args: 'stack select a b c', code: 1 },
  { args: 'up --yes --parallel many', code: 1 },
  { args: 'up', code: 2 },
  { args: 'destroy', code: 2 },
  { args: 'stack rm dev', code: 1 },
  { args: 'up', folder: '/nonexistent', code: 1 },
  { args: 'preview', env: { WANT: '1' }, code: 1 },
  { args: 'up --yes', env: { THROW: '1' }, code: 1 },
  { args: 'up --yes --skip-preview --expect-no-changes', env: { VALUE: 'two' }, code: 7 },
  { args: 'stack output nothing', code: 1 },
  { args: 'stack rm dev --yes', code: 1 },
  { args: 'config get key', env: { PULUMI_CONFIG_PASSPHRASE: 'wrong' }, code: 1 },
  { args: 'up --yes', env: { PULUMI_CONFIG_PASSPHRASE: undefined }, code: 1 },
]

/** Returns the title of the test of a failure. */
function describeFailure({ args, code, env = {}, folder }: Failure): string {
  const variables = Object.entries(env).map(([name, value]) =>
    value === undefined ? `without ${name}` : `with ${name}=${value}`,
  )
  const conditions = [...(folder === undefined ? [] : [`in ${folder}`]), ...variables]
  return [`\`${args}\``, ...conditions, `ends with ${code}`].join(' ')
}

describeWithCommands('exit codes', [['go', 'version']], () => {
  let sandbox: Sandbox
  let runPulumi: Sandbox['run']
  beforeAll(async () => {
    sandbox = createSandbox(undefined, { files })
    const state = join(sandbox.home, '..', 'state')
    mkdirSync(state, { recursive: true })
    const cli = buildPulumiCli('3.274.1')
    const variables: Env = {
      ...stockVariablesOf(sandbox),
      PULUMI_BACKEND_URL: `file://${state}`,
    }
    runPulumi = (args, options = {}) =>
      sandbox.run(args, { ...options, command: cli, env: { ...variables, ...options.env } })
    for (const run of [sandbox.run, runPulumi]) {
      for (const args of [
        'stack init dev',
        'up --yes --skip-preview',
        'config set --secret key value',
      ])
        expect(await run(args.split(' '))).toMatchObject({ exit: 0 })
    }
  }, 900_000)
  afterAll(() => sandbox.remove())

  test.each(failures.map(failure => [describeFailure(failure), failure] as const))(
    '%s',
    { timeout: 120_000 },
    async (_title, { args, code, env = {}, folder = '.' }) => {
      const wholeArgs = ['-C', folder, ...args.split(' ')]
      const theirs = await runPulumi(wholeArgs, { env })
      const ours = await sandbox.run(wholeArgs, { env })
      expect([theirs.exit, ours.exit], theirs.err + ours.err).toEqual([code, code])
    },
  )
})
