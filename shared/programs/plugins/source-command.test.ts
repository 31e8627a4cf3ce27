import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ProcessesPort } from '../../ports/system.ts'
import { createSourceCommand } from './source-command.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-source-command-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(path: string, text: string, mode = 0o644): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode })
}

/** Processes whose children succeed without output. `commands` gets the arguments of each one. */
function createSuccessfulProcesses(commands: (readonly string[])[]): ProcessesPort {
  return {
    spawn: ({ args }) => {
      commands.push(args)
      const exit = Promise.resolve({ code: 0, signal: null })
      return { pid: 1, stdout: noOutput(), stderr: noOutput(), exit, signal: () => undefined }
    },
    listGroups: () => [],
    close: () => Promise.resolve(),
  }
}

async function* noOutput(): AsyncGenerator<Uint8Array> {}

const projectOf = (runtime: string, options = {}) => ({
  ...{ folder, runtime, options, requiredVersion: '' },
})

// A split at blanks would break the quoted path. Programs already split `nodeargs` like a shell.
test('the option nodeargs of a plugin is split like the arguments of a shell', async () => {
  write('package.json', '{}')
  write('node_modules/@pulumi/pulumi/cmd/run-plugin/index.js', '')
  const deps = { processes: createSuccessfulProcesses([]), env: {} }
  const project = projectOf('nodejs', { nodeargs: "--import './my file.js' --no-warnings" })
  const { args } = await createSourceCommand(deps, project, ['--last'])
  expect(args.slice(0, 3)).toEqual(['--import', './my file.js', '--no-warnings'])
  expect(args.at(-1)).toBe('--last')
  await expect(
    createSourceCommand(deps, projectOf('nodejs', { nodeargs: "'open" }), []),
  ).rejects.toMatchObject({ code: 'PROJECT_INVALID' })
})

test.each([true, false])('a plugin in Go is optimized except for a debugger: %s', async debug => {
  write('bin/go', '', 0o755)
  const commands: (readonly string[])[] = []
  const processes = createSuccessfulProcesses(commands)
  const deps = { processes, env: { PATH: join(folder, 'bin') }, isDebugged: debug }
  const { cleanUp } = await createSourceCommand(deps, projectOf('go'), [])
  cleanUp?.()
  expect(commands.flat().includes('-gcflags=all=-N -l')).toBe(debug)
})
