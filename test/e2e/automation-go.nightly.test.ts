/** The published tests of the Go SDK's Automation API, with the launcher as `pulumi`. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { goAutomationExclusions } from './go-automation-exclusions.ts'
import { createSandbox, launcher, type Sandbox } from './sandbox.ts'
import { describeWithCommands } from './toolchains.ts'

const sdkModule = 'github.com/pulumi/pulumi/sdk/v3@v3.274.1'

let sandbox: Sandbox | undefined
afterEach(() => sandbox?.remove())

/** Copies the published module, with the program that its tests expect beside them. */
function copyModule(folder: string, fixture: string): void {
  const options = {
    encoding: 'utf8',
    cwd: fixture,
    env: { ...process.env, GO111MODULE: 'on' },
  } as const
  const downloaded = spawnSync('go', ['mod', 'download', '-json', sdkModule], options)
  expect(downloaded.status, downloaded.stderr).toBe(0)
  const { Dir } = JSON.parse(downloaded.stdout) as { readonly Dir: string }
  cpSync(Dir, folder, { recursive: true })
  // Go stores modules without write permissions.
  for (const path of ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })])
    chmodSync(join(folder, path), 0o755)
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

describeWithCommands('the Automation API in Go', [['go', 'version']], () => {
  test('its published tests pass, except for the listed ones', { timeout: 3_000_000 }, () => {
    sandbox = createSandbox('automation-go', { sdk: false })
    const folder = join(sandbox.program, '../sdk')
    copyModule(folder, sandbox.program)
    const commands = join(sandbox.program, 'bin')
    mkdirSync(commands)
    symlinkSync(launcher, join(commands, 'pulumi'))
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
        env: {
          ...sandbox.createEnvironment({ GOFLAGS: '-mod=mod', PULUMI_TEST_ORG: 'organization' }),
          PATH: [commands, sandbox.createEnvironment()['PATH']].join(delimiter),
          GOPATH: process.env['GOPATH'] ?? join(homedir(), 'go'),
        },
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
