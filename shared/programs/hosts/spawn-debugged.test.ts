import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createProcesses } from '../../platform/system/processes.ts'
import { spawnDebugged } from './spawn-debugged.ts'

let folder: string
let processes: ReturnType<typeof createProcesses>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-debugging-'))
  processes = createProcesses()
})
afterEach(async () => {
  await processes.close()
  rmSync(folder, { recursive: true, force: true })
})

const start = (command: string, runtime?: string): ReturnType<typeof spawnDebugged> => {
  const debug =
    runtime === undefined ? undefined : { runtime, title: 'Program', onReady: () => undefined }
  const env = { PATH: folder }
  return spawnDebugged(processes, { command, args: [], cwd: folder, env }, debug)
}

describe('spawnDebugged', () => {
  test.each([
    ['python', 'debugpy is not installed for /bin/false'],
    ['go', "the debugger 'dlv' is not on PATH"],
  ])('needs the debugger of the runtime %s', async (runtime, message) => {
    const refused = start('/bin/false', runtime)
    await expect(refused).rejects.toMatchObject({ code: 'PROGRAM_LANGUAGE_MISSING', message })
  })

  test.each([
    ['without debug options', undefined],
    ['for a runtime without a debugger', 'toy'],
    ['for a runtime that is named like a field of objects', 'constructor'],
  ])('runs a process %s unchanged', async (_what, runtime) => {
    const { exit } = await start('/bin/true', runtime)
    expect(await exit).toMatchObject({ code: 0 })
  })
})
