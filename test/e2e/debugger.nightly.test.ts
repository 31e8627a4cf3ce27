import { execFileSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { resumeGo, resumePython, readDebuggerConfigs } from './debuggers.ts'
import { createSandbox, type Sandbox, requireSuccess, waitUntil } from './sandbox.ts'
import { createVirtualEnvironment, describeWithCommands } from './toolchains.ts'

const fixtures = join(import.meta.dirname, '../fixtures/programs')
const slowMs = 900_000
let sandbox: Sandbox
afterEach(() => sandbox.remove())

/** Runs the program of a fixture under its debugger, then resumes it through the debugger. */
async function checkDebugging(
  env: Readonly<Record<string, string>>,
  language: { readonly name: string; readonly resume: (port: number) => void },
): Promise<void> {
  requireSuccess(await sandbox.run(['stack', 'init', 'dev']))
  requireSuccess(await sandbox.run(['config', 'set', '--secret', 'password', 'a', '-s', 'dev']))
  requireSuccess(await sandbox.run(['config', 'set', 'step', '1', '-s', 'dev']))
  const up = ['up', '--yes', '--skip-preview', '-s', 'dev', '--event-log', 'events']
  const running = sandbox.start([...up, '--attach-debugger'], { env })
  await waitUntil(() => readDebuggerConfigs(sandbox).length === 1, {
    condition: 'a program that waits',
    // The first build without optimizations compiles all packages of a program in Go.
    limitMs: slowMs / 2,
  })
  expect(sandbox.listObjects()).toEqual([])
  const [config = {}] = readDebuggerConfigs(sandbox)
  expect(config['name']).toBe(`Pulumi: Program (${language.name})`)
  // Configurations for Python have the port in `connect`.
  const { port } = Object(config['connect'] ?? config) as { port: number }
  language.resume(port)
  requireSuccess(await running.done)
  expect(sandbox.listObjects()).toHaveLength(3)
}

describeWithCommands('a program in Python', [['python3', '-m', 'venv', '--help']], () => {
  test(
    'waits for its debugger',
    async () => {
      sandbox = createSandbox('python')
      // The SDK contains debugpy.
      const environment = createVirtualEnvironment(join(fixtures, 'python', 'requirements.txt'))
      symlinkSync(environment, join(sandbox.program, 'venv'))
      await checkDebugging({}, { name: 'python', resume: resumePython })
    },
    slowMs,
  )
})

/** Installs Delve once per machine and version. */
function installDelve(version: string): string {
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const folder = join(base, 'antichain', 'tests', `delve-${version}`)
  if (existsSync(join(folder, 'dlv'))) return folder
  const goPackage = `github.com/go-delve/delve/cmd/dlv@${version}`
  const args = ['install', goPackage]
  execFileSync('go', args, { env: { ...process.env, GOBIN: folder } })
  return folder
}

describeWithCommands('a program in Go', [['go', 'version']], () => {
  test(
    'waits for its debugger',
    async () => {
      sandbox = createSandbox('go')
      const path = sandbox.createEnvironment()['PATH'] ?? ''
      const env = { PATH: [installDelve('v1.27.2'), path].join(delimiter) }
      await checkDebugging(env, { name: 'go', resume: resumeGo })
    },
    slowMs,
  )
})
