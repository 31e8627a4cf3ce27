/** The published tests of the Go SDK's Automation API, with the launcher as `pulumi`. */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { goAutomationExclusions } from './automation-exclusions.ts'
import {
  copyPublishedFolder,
  createPublishedTestEnvironment,
  goCommands,
} from './published-tests.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import { describeWithCommands } from './toolchains.ts'

const sdkModule = 'github.com/pulumi/pulumi/sdk/v3@v3.274.1'

let sandbox: Sandbox | undefined
afterEach(() => sandbox?.remove())

/** Copies the published module, with the program that its tests expect beside them. */
function copyModule(folder: string, fixture: string): void {
  copyPublishedFolder(sdkModule, { path: '.', target: folder, cwd: fixture })
  const target = join(folder, 'go/auto/test/testproj')
  cpSync(join(fixture, 'testproj'), target, { recursive: true })
  // Some tests copy the program elsewhere, so it is a module of its own with the same packages.
  const [path = '', version = ''] = sdkModule.split('@')
  const goMod = readFileSync(join(folder, 'go.mod'), 'utf8').replace(
    /^module .*$/m,
    'module testproj',
  )
  const sdk = `\nrequire ${path} ${version}\n\nreplace ${path} => ${folder}\n`
  writeFileSync(join(target, 'go.mod'), goMod + sdk)
  cpSync(join(folder, 'go.sum'), join(target, 'go.sum'))
}

describeWithCommands('the Automation API in Go', goCommands, () => {
  test('its published tests pass, except for the listed ones', { timeout: 3_000_000 }, () => {
    sandbox = createSandbox('automation-go', { sdk: false })
    const folder = join(sandbox.program, '../sdk')
    copyModule(folder, sandbox.program)
    const names = Object.keys(goAutomationExclusions)
    const result = spawnSync(
      'go',
      [
        ...['test', './go/auto', '-v', '-count=1', '-parallel=2', '-timeout=45m'],
        `-skip=^(${names.join('|')})$`,
      ],
      {
        cwd: folder,
        encoding: 'utf8',
        maxBuffer: 100_000_000,
        env: createPublishedTestEnvironment(sandbox, {
          GOFLAGS: '-mod=mod',
          PULUMI_TEST_ORG: 'organization',
        }),
      },
    )
    const listTests = (verdict: string): readonly string[] =>
      [...result.stdout.matchAll(new RegExp(`^--- ${verdict}: (\\w+)`, 'gm'))].map(
        ([, name = '']) => name,
      )
    expect(listTests('FAIL'), result.stdout.slice(-20_000)).toEqual([])
    expect(result.status, result.stderr).toBe(0)
    expect(listTests('PASS').length).toBeGreaterThan(50)
    expect(sandbox.listProcesses()).toEqual([])
  })
})
