/** The published tests of the Python SDK's Automation API, with the launcher as `pulumi`. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { pythonAutomationExclusions } from './automation-exclusions.ts'
import {
  copyPublishedFolder,
  createPublishedTestEnvironment,
  goCommands,
} from './published-tests.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import { createVirtualEnvironment, describeWithCommands } from './toolchains.ts'

const sdkModule = 'github.com/pulumi/pulumi/sdk/v3@v3.270.0'
const testsFolder = 'lib/test/automation'
const commands = [...goCommands, ['python3', '-m', 'venv', '--help']]
const testMs = 3_000_000

let sandbox: Sandbox | undefined
afterEach(() => sandbox?.remove())

describeWithCommands('the Automation API in Python', commands, () => {
  test('its published tests pass, except for the listed ones', { timeout: testMs }, () => {
    sandbox = createSandbox('automation-python-tests', { sdk: false })
    const environmentFolder = createVirtualEnvironment(join(sandbox.program, 'requirements.txt'))
    const folder = join(sandbox.program, 'python')
    // The folder above the tests has fixtures that they use.
    const target = join(folder, 'lib/test')
    copyPublishedFolder(sdkModule, { path: 'python/lib/test', target, cwd: sandbox.program })
    const excludedNames = Object.keys(pythonAutomationExclusions)
    const result = spawnSync(
      join(environmentFolder, 'bin/python'),
      [
        // Limits of 20 s per test are too short for a busy machine.
        ...['-m', 'pytest', testsFolder, '-rA', '-p', 'no:cacheprovider', '-p', 'no:timeout'],
        ...excludedNames.flatMap(name => ['--deselect', `${testsFolder}/${name}`]),
      ],
      {
        cwd: folder,
        env: createPublishedTestEnvironment(sandbox, {}, [join(environmentFolder, 'bin')]),
        encoding: 'utf8',
        maxBuffer: 100_000_000,
        timeout: testMs - 60_000,
      },
    )
    // The summary at the end has one line for each test.
    const listTests = (verdicts: string): readonly string[] =>
      [...result.stdout.matchAll(new RegExp(`^(?:${verdicts}) (\\S+::.*)$`, 'gm'))].map(
        ([, name = '']) => name,
      )
    const output = `${result.stdout.slice(-20_000)}\n${result.stderr}`
    expect(listTests('FAILED|ERROR|SUBFAILED'), output).toEqual([])
    expect(listTests('PASSED').length, output).toBeGreaterThan(80)
    expect(result.status, output).toBe(0)
    expect(sandbox.listProcesses()).toEqual([])
  })
})
