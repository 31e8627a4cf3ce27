import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { packageMarkerName } from '../../programs/hosts/installed-packages.ts'

const plugin = join(import.meta.dirname, 'pulumi-resource-pulumi-python')

let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'dynamic-python-')))
  for (const folder of ['bin', 'project/src']) mkdirSync(join(root, folder), withParents)
  writeCommand('bin/poetry', `echo ${join(root, 'poetry-environment')}`)
  for (const environment of ['poetry-environment', 'project/venv', 'project/.venv'])
    writeCommand(`${environment}/bin/python`, 'echo "$0 $VIRTUAL_ENV $*"')
  writeCommand('bin/python3', 'echo "$0 ${VIRTUAL_ENV:-} $*"')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const withParents = { recursive: true } as const

/** Writes a shell script that stands for a command. */
function writeCommand(path: string, script: string): void {
  mkdirSync(dirname(join(root, path)), withParents)
  writeFileSync(join(root, path), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

/** Starts the plugin in a subfolder of a project. Returns the environment that it uses. */
function findEnvironment(options: Readonly<Record<string, string>>): string {
  const variables = Object.entries(options).map(([name, value]) => [
    `PULUMI_RUNTIME_${name.toUpperCase()}`,
    value,
  ])
  const path = [join(root, 'bin'), '/usr/bin', '/bin'].join(delimiter)
  const env = { PATH: path, ...Object.fromEntries(variables) }
  const out = execFileSync(plugin, ['127.0.0.1:1'], {
    cwd: join(root, 'project/src'),
    env,
    encoding: 'utf8',
  })
  const [python = '', environment = ''] = out.split(' ')
  expect(out).toContain('-u -m pulumi.dynamic 127.0.0.1:1')
  expect(python).toBe(join(environment || root, 'bin', environment === '' ? 'python3' : 'python'))
  return environment.slice(root.length + 1)
}

// In another environment, a dynamic provider would run with other packages than its program.
test.each([
  ['no option', {}, ''],
  ['virtualenv', { virtualenv: 'project/venv' }, 'project/venv'],
  ['uv', { toolchain: 'uv' }, 'project/.venv'],
  ['UV in capitals', { toolchain: 'UV' }, 'project/.venv'],
  ['uv and virtualenv', { toolchain: 'uv', virtualenv: 'project/venv' }, 'project/venv'],
  ['poetry', { toolchain: 'poetry' }, 'poetry-environment'],
  [
    'Poetry and virtualenv',
    { toolchain: 'Poetry', virtualenv: 'project/venv' },
    'poetry-environment',
  ],
])('a dynamic provider in Python uses the environment of its program: %s', (_, options, folder) => {
  const { virtualenv } = options as { readonly virtualenv?: string }
  const absolute = virtualenv === undefined ? {} : { virtualenv: join(root, virtualenv) }
  expect(findEnvironment({ ...options, ...absolute })).toBe(folder)
})

test('a dynamic provider of poetry uses the environment that the installer created', () => {
  writeFileSync(join(root, 'project/.venv', packageMarkerName), '')
  const virtualenv = join(root, 'project/.venv')
  expect(findEnvironment({ toolchain: 'poetry', virtualenv })).toBe('project/.venv')
})
