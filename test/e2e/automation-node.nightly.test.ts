/** The published tests of the Node SDK's Automation API, with the launcher as `pulumi`. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { nodeAutomationExclusions } from './automation-exclusions.ts'
import {
  copyPublishedFolder,
  createPublishedTestEnvironment,
  goCommands,
} from './published-tests.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import { describeWithCommands } from './toolchains.ts'

const sdkVersion = '3.270.0'
const packages = {
  '@pulumi/pulumi': sdkVersion,
  mocha: '12.0.3',
  'ts-node': '10.9.2',
  tsx: '4.19.3',
  typescript: '5.9.3',
}
const testMs = 3_000_000

let sandbox: Sandbox | undefined
afterEach(() => sandbox?.remove())

/** The report of mocha's reporter `json`, as far as this test reads it. */
interface MochaReport {
  readonly passes: readonly { readonly fullTitle: string }[]
  readonly failures: readonly {
    readonly fullTitle: string
    readonly err: { readonly message?: string }
  }[]
}

/** Installs the packages, and puts the published tests into a copy of the SDK's package. */
function installSdkWithTests({ program }: Sandbox, env: Record<string, string>): string {
  writeFileSync(join(program, 'package.json'), JSON.stringify({ dependencies: packages }))
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund']
  const installResult = spawnSync('npm', args, { cwd: program, env, encoding: 'utf8' })
  expect(installResult.status, installResult.stderr).toBe(0)
  const sdk = join(program, 'sdk')
  cpSync(join(program, 'node_modules/@pulumi/pulumi'), sdk, { recursive: true })
  mkdirSync(join(sdk, 'tests'))
  copyPublishedFolder(`github.com/pulumi/pulumi/sdk/v3@v${sdkVersion}`, {
    path: 'nodejs/tests/automation',
    target: join(sdk, 'tests/automation'),
    cwd: program,
  })
  return sdk
}

const escapeForPattern = (title: string): string => title.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')

describeWithCommands('the Automation API in Node', goCommands, () => {
  test('its published tests pass, except for the listed ones', { timeout: testMs }, () => {
    sandbox = createSandbox(undefined, { sdk: false })
    const env = createPublishedTestEnvironment(sandbox)
    const sdk = installSdkWithTests(sandbox, env)
    const titles = Object.keys(nodeAutomationExclusions).map(escapeForPattern)
    const reportFile = join(sandbox.program, 'report.json')
    const result = spawnSync(
      'node',
      [
        ...['--import=tsx', '../node_modules/mocha/bin/mocha.js', 'tests/automation/*.spec.ts'],
        ...['--timeout', '1200000', '--grep', titles.join('|'), '--invert'],
        ...['--reporter', 'json', '--reporter-option', `output=${reportFile}`],
      ],
      { cwd: sdk, env, encoding: 'utf8', maxBuffer: 100_000_000 },
    )
    const { passes, failures } = JSON.parse(readFileSync(reportFile, 'utf8')) as MochaReport
    const failureLines = failures.map(({ fullTitle, err }) => `${fullTitle}: ${err.message ?? ''}`)
    expect(failureLines, result.stderr.slice(-20_000)).toEqual([])
    expect(passes.length).toBeGreaterThan(100)
    expect(result.status).toBe(0)
    expect(sandbox.listProcesses()).toEqual([])
  })
})
