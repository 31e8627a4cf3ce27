import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chooseDependencyCommands } from './dependency-commands.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'dependencies-'))
})
afterEach(() => rmSync(root, { recursive: true }))

/** Returns the command lines for a project with these files. `folder`: that of the program. */
function listCommandLines(
  runtime: string,
  files: readonly string[],
  options: { readonly folder?: string; readonly runtimeOptions?: Record<string, string> } = {},
): readonly string[] | undefined {
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), '')
  }
  const { folder = '', runtimeOptions = {} } = options
  const program = {
    runtime,
    runtimeOptions,
    projectFolder: root,
    programFolder: join(root, folder),
  }
  return chooseDependencyCommands(program, 'python3')?.map(({ command, args, cwd }) =>
    `${cwd}: ${[command, ...args].join(' ')}`.replaceAll(root, ''),
  )
}

test.each([
  [['package.json'], {}, 'npm install --no-audit --no-fund --loglevel=error'],
  [['package.json', 'pnpm-lock.yaml'], {}, 'pnpm install'],
  [['package.json', 'yarn.lock'], {}, 'yarn install'],
  [['package.json', 'yarn.lock'], { packagemanager: 'bun' }, 'bun install'],
])('a program in Node with %j and the options %j runs `%s`', (files, runtimeOptions, line) => {
  expect(listCommandLines('nodejs', files, { runtimeOptions })).toEqual([`: ${line}`])
})

test('a program below its package.json is installed where that file is', () => {
  const lines = listCommandLines('nodejs', ['package.json', 'src/index.ts'], { folder: 'src' })
  expect(lines?.[0]).toMatch(/^: npm install/)
})

test('a program in Python gets its virtual environment once', () => {
  const runtimeOptions = { virtualenv: 'venv' }
  const files = ['requirements.txt']
  const install = ': /venv/bin/python -m pip install --quiet -r requirements.txt'
  const create = ': python3 -m venv /venv'
  expect(listCommandLines('python', files, { runtimeOptions })).toEqual([create, install])
  const existing = [...files, 'venv/bin/python']
  expect(listCommandLines('python', existing, { runtimeOptions })).toEqual([install])
})

test.each(['uv', 'poetry'])('a program in Python with the toolchain %s uses it', toolchain => {
  const lines = listCommandLines('python', ['pyproject.toml'], { runtimeOptions: { toolchain } })
  expect(lines?.[0]).toMatch(new RegExp(`^: ${toolchain} `))
})

test('a program in Go downloads the modules of go.sum, or creates it', () => {
  expect(listCommandLines('go', ['go.mod'])).toEqual([': go mod tidy'])
  expect(listCommandLines('go', ['go.mod', 'go.sum'])).toEqual([': go mod download'])
  const lines = listCommandLines('go', ['go.mod', 'go.sum', 'cmd/main.go'], { folder: 'cmd' })
  expect(lines).toEqual(['/cmd: go mod download'])
})

test('an unknown package manager is refused, and other languages have no commands', () => {
  const runtimeOptions = { packagemanager: 'left' }
  expect(() => listCommandLines('nodejs', ['package.json'], { runtimeOptions })).toThrow("'left'")
  expect(listCommandLines('yaml', [])).toEqual([])
  expect(listCommandLines('dotnet', [])).toBeUndefined()
})
