import { execFileSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { letGoRun, letPythonRun, waitingIn } from './debuggers.ts'
import { createPlace, type Place, succeeded, until } from './place.ts'
import { virtualEnvironment, whenInstalled } from './toolchains.ts'

const fixtures = join(import.meta.dirname, '../fixtures/programs')
const slowMs = 900_000
let place: Place
afterEach(() => place.remove())

/** Runs the program of a fixture under its debugger, and lets it run. */
async function debugs(
  env: Readonly<Record<string, string>>,
  about: { readonly name: string; readonly letRun: (port: number) => void },
): Promise<void> {
  succeeded(await place.run(['stack', 'init', 'dev']))
  succeeded(await place.run(['config', 'set', '--secret', 'password', 'a', '-s', 'dev']))
  succeeded(await place.run(['config', 'set', 'step', '1', '-s', 'dev']))
  const up = ['up', '--yes', '--skip-preview', '-s', 'dev', '--event-log', 'events']
  const running = place.start([...up, '--attach-debugger'], { env })
  await until(() => waitingIn(place).length === 1, { what: 'the program waits' })
  expect(place.objects()).toEqual([])
  const [config = {}] = waitingIn(place)
  expect(config['name']).toBe(`Pulumi: Program (${about.name})`)
  const { port } = Object(config['connect'] ?? config) as { port: number }
  about.letRun(port)
  succeeded(await running.done)
  expect(place.objects()).toHaveLength(3)
}

whenInstalled('a program in Python', [['python3', '-m', 'venv', '--help']], () => {
  test(
    'waits for its debugger',
    async () => {
      place = createPlace('python')
      // The SDK brings debugpy along.
      const environment = virtualEnvironment(join(fixtures, 'python', 'requirements.txt'))
      symlinkSync(environment, join(place.program, 'venv'))
      await debugs({}, { name: 'python', letRun: letPythonRun })
    },
    slowMs,
  )
})

/** Delve, installed once on a machine for its version. */
function delve(version: string): string {
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const folder = join(base, 'antichain', 'tests', `delve-${version}`)
  if (existsSync(join(folder, 'dlv'))) return folder
  const what = `github.com/go-delve/delve/cmd/dlv@${version}`
  const words = ['install', what]
  execFileSync('go', words, { env: { ...process.env, GOBIN: folder } })
  return folder
}

whenInstalled('a program in Go', [['go', 'version']], () => {
  test(
    'waits for its debugger',
    async () => {
      place = createPlace('go')
      const path = place.environment()['PATH'] ?? ''
      const env = { PATH: [delve('v1.27.2'), path].join(delimiter) }
      await debugs(env, { name: 'go', letRun: letGoRun })
    },
    slowMs,
  )
})
