import { expect, test, vi } from 'vitest'
import { type ProgramRunDeps, runProgram } from './run-program.ts'

/**
 * Creates the dependencies of a program that signals immediately that it registers nothing more,
 * and never exits by itself.
 */
function createHangingProgram() {
  const programEnd = Promise.withResolvers<{ readonly hasReportedError: boolean }>()
  const abort = Promise.withResolvers<void>()
  let isAborted = false
  const log: string[] = []
  const deps = {
    host: {
      run: async () => ({
        programEnd: programEnd.promise,
        stop: async () => {
          log.push('stop')
          programEnd.resolve({ hasReportedError: false })
        },
      }),
    },
    programInput: {},
    monitor: {
      whenSignalled: Promise.resolve(),
      hooks: { waitUntilSettled: async () => undefined },
      abort: () => void log.push('abort'),
      release: () => void log.push('release'),
    },
    generator: { waitUntilSettled: async () => undefined },
    emitter: { report: () => undefined },
    whenAborted: abort.promise,
    isAborted: () => isAborted,
    pause: async () => undefined,
  } as unknown as ProgramRunDeps
  const abortRun = (): void => {
    isAborted = true
    abort.resolve()
  }
  return { deps, log, abortRun, exit: () => programEnd.resolve({ hasReportedError: false }) }
}

test('a released program that does not exit is stopped after an abort', async () => {
  const { deps, log, abortRun } = createHangingProgram()
  const { finish } = await runProgram(deps)
  const finished = finish()
  await vi.waitFor(() => expect(log).toEqual(['release']))
  abortRun()
  expect(await finished).toBe(false)
  expect(log).toEqual(['release', 'abort', 'stop'])
})

test('a released program that exits without an error succeeds', async () => {
  const { deps, log, exit } = createHangingProgram()
  const { finish } = await runProgram(deps)
  const finished = finish()
  exit()
  expect(await finished).toBe(true)
  expect(log).toEqual(['release'])
})
