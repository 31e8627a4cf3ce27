import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ProcessesPort } from '../../ports/system.ts'
import { installDependencies } from './install-dependencies.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dependencies-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/**
 * Returns the commands that are run for a plugin with these files, and adds each to `commands`. The
 * command `failing` fails.
 */
async function runInstall(
  files: Readonly<Record<string, string>>,
  failing?: string,
  commands: string[] = [],
): Promise<readonly string[]> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const spawn: ProcessesPort['spawn'] = ({ command, args }) => {
    commands.push([command, ...args].join(' ').replaceAll(folder, '.'))
    const code = command === failing ? 2 : 0
    const createOutput = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('no such package\n')
    }
    const exit = Promise.resolve({ code, signal: null })
    return { pid: 1, stdout: createOutput(), stderr: createOutput(), exit, signal: () => undefined }
  }
  const processes = { spawn } as ProcessesPort
  await installDependencies(folder, { processes, env: {}, report: () => undefined })
  return commands
}

const runtimeFileOf = (runtime: string): string => `runtime: ${runtime}\n`
const pip = './venv/bin/python -m pip install --quiet'

test.each([
  ['no project file', {}, []],
  ['Node without packages', { 'PulumiPlugin.yaml': runtimeFileOf('nodejs') }, []],
  [
    'Node',
    { 'PulumiPlugin.yaml': runtimeFileOf('nodejs'), 'package.json': '{}' },
    ['npm install --no-audit --no-fund --loglevel=error'],
  ],
  [
    'Python with requirements',
    { 'PulumiPlugin.yaml': runtimeFileOf('python'), 'requirements.txt': '', 'pyproject.toml': '' },
    ['python3 -m venv ./venv', `${pip} -r requirements.txt`],
  ],
  [
    'Python as a package',
    { 'PulumiPlugin.yaml': runtimeFileOf('python'), 'pyproject.toml': '' },
    ['python3 -m venv ./venv', `${pip} -e .`],
  ],
  [
    'Python with uv',
    { 'PulumiPlugin.yaml': runtimeFileOf('{name: python, options: {toolchain: uv}}') },
    ['uv sync'],
  ],
  [
    'Python with poetry',
    { 'PulumiPlugin.yaml': runtimeFileOf('{name: python, options: {toolchain: poetry}}') },
    ['poetry install --no-interaction'],
  ],
  [
    'Go, which downloads dependencies while building',
    { 'PulumiPlugin.yaml': runtimeFileOf('go') },
    [],
  ],
])('the install commands fit the kind of plugin: %s', async (_what, files, commands) => {
  expect(await runInstall(files)).toEqual(commands)
})

test('existing dependencies are not reinstalled', async () => {
  mkdirSync(join(folder, 'venv'))
  mkdirSync(join(folder, 'node_modules'))
  expect(
    await runInstall({ 'PulumiPlugin.yaml': runtimeFileOf('python'), 'requirements.txt': '' }),
  ).toEqual([])
  expect(
    await runInstall({ 'PulumiPlugin.yaml': runtimeFileOf('nodejs'), 'package.json': '{}' }),
  ).toEqual([])
})

test('a failed command is reported with its output, and no command follows', async () => {
  const files = { 'PulumiPlugin.yaml': runtimeFileOf('python'), 'requirements.txt': '' }
  const commands: string[] = []
  await expect(runInstall(files, 'python3', commands)).rejects.toMatchObject({
    code: 'PLUGIN_FAILED',
    message: expect.stringMatching(/`python3 -m venv .*` in .* failed with exit code 2: no such/),
  })
  expect(commands).toEqual(['python3 -m venv ./venv'])
})

test('an unreadable project file of a plugin is an error with its path', async () => {
  await expect(runInstall({ 'PulumiPlugin.yaml': 'runtime: [' })).rejects.toMatchObject({
    code: 'PLUGIN_FAILED',
    message: expect.stringContaining('PulumiPlugin.yaml is not valid YAML') as string,
  })
})
