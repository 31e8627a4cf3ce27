import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import type { ProcessesPort } from '../../ports/system.ts'
import { resolvePythonEnvironment } from './python-environment.ts'

const processes: ProcessesPort = {
  spawn: () => {
    throw new Error('no process is expected')
  },
  listGroups: () => [],
  close: () => Promise.resolve(),
}

test.each([
  ['', 'python3 or python is not on PATH'],
  ['python9', 'python9 is not on PATH'],
  ['./bin/python9', 'PULUMI_PYTHON_CMD names ./bin/python9, which is not an executable file'],
])('the error for PULUMI_PYTHON_CMD=%j names the missing command', async (command, message) => {
  const env = { PATH: '', PULUMI_PYTHON_CMD: command }
  const folder = tmpdir()
  const folders = { projectFolder: folder, programFolder: folder, entryPoint: '.' }
  const source = { runtime: 'python', ...folders, runtimeOptions: {} }
  const resolution = resolvePythonEnvironment({ processes, env, source })
  await expect(resolution).rejects.toMatchObject({ code: 'PROGRAM_LANGUAGE_MISSING', message })
})
