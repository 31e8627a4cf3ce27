import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createProcesses } from '../../platform/system/processes.ts'
import { createGoProgramHost } from './go-host.ts'

let root = ''
let processes: ReturnType<typeof createProcesses>
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'antichain-go-host-'))
  processes = createProcesses()
  for (const folder of ['bin', 'program', 'tmp']) mkdirSync(join(root, folder))
  vi.stubEnv('TMPDIR', join(root, 'tmp'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await processes.close()
  rmSync(root, { recursive: true })
})

// A leak of the folder, or a build with optimizations, would break this test.
test('a program whose debugger is missing is built for a debugger, and its binary is removed', async () => {
  const go = join(root, 'bin', 'go')
  writeFileSync(go, `#!/bin/sh\nprintf '%s\\n' "$@" > '${root}/arguments'\n`)
  chmodSync(go, 0o755)
  const folders = { projectFolder: join(root, 'program'), programFolder: join(root, 'program') }
  const run = createGoProgramHost({ processes, env: { PATH: join(root, 'bin') } }).run(
    {
      ...{ runtime: 'go', ...folders, entryPoint: '.', runtimeOptions: {} },
      ...{ project: 'p', stack: 'dev', organization: 'o', config: new Map(), configSecretKeys: [] },
      ...{ dryRun: false, parallel: 1, monitorAddress: '', engineAddress: '' },
      onDebuggerReady: () => undefined,
    },
    () => undefined,
  )
  await expect(run).rejects.toMatchObject({ message: "the debugger 'dlv' is not on PATH" })
  expect(readdirSync(join(root, 'tmp'))).toEqual([])
  expect(readFileSync(join(root, 'arguments'), 'utf8').split('\n')).toContain('-gcflags=all=-N -l')
})
