import { execFileSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { resumeGo, resumePython, readDebuggerConfigs } from './debuggers.ts'
import { createPlace, type Place, requireSuccess, waitUntil } from './place.ts'
import { virtualEnvironment, whenInstalled } from './toolchains.ts'

const fixtures = join(import.meta.dirname, '../fixtures/programs')
const slowMs = 900_000
let place: Place
afterEach(() => place.remove())

/** Runs the program of a fixture under its debugger, then resumes it through the debugger. */
async function checkDebugging(
  env: Readonly<Record<string, string>>,
  language: { readonly name: string; readonly resume: (port: number) => void },
): Promise<void> {
  requireSuccess(await place.run(['stack', 'init', 'dev']))
  requireSuccess(await place.run(['config', 'set', '--secret', 'password', 'a', '-s', 'dev']))
  requireSuccess(await place.run(['config', 'set', 'step', '1', '-s', 'dev']))
  const up = ['up', '--yes', '--skip-preview', '-s', 'dev', '--event-log', 'events']
  const running = place.start([...up, '--attach-debugger'], { env })
  await waitUntil(() => readDebuggerConfigs(place).length === 1, { what: 'a program that waits' })
  expect(place.listObjects()).toEqual([])
  const [config = {}] = readDebuggerConfigs(place)
  expect(config['name']).toBe(`Pulumi: Program (${language.name})`)
  const { port } = Object(config['connect'] ?? config) as { port: number }
  language.resume(port)
  requireSuccess(await running.done)
  expect(place.listObjects()).toHaveLength(3)
}

whenInstalled('a program in Python', [['python3', '-m', 'venv', '--help']], () => {
  test(
    'waits for its debugger',
    async () => {
      place = createPlace('python')
      // The SDK contains debugpy.
      const environment = virtualEnvironment(join(fixtures, 'python', 'requirements.txt'))
      symlinkSync(environment, join(place.program, 'venv'))
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
  const what = `github.com/go-delve/delve/cmd/dlv@${version}`
  const args = ['install', what]
  execFileSync('go', args, { env: { ...process.env, GOBIN: folder } })
  return folder
}

whenInstalled('a program in Go', [['go', 'version']], () => {
  test(
    'waits for its debugger',
    async () => {
      place = createPlace('go')
      const path = place.createEnvironment()['PATH'] ?? ''
      const env = { PATH: [installDelve('v1.27.2'), path].join(delimiter) }
      await checkDebugging(env, { name: 'go', resume: resumeGo })
    },
    slowMs,
  )
})
