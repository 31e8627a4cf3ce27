import { expect, test } from 'vitest'
import { createError } from '../../shared/errors/error.ts'
import { checkNames } from './check-report.ts'
import { type VerificationChecks, runVerification } from './run-verification.ts'

const passCheck = async () => ({ result: 'passed', message: 'Seen.' }) as const

/**
 * Runs all checks, and counts the clean-ups. Unless it is replaced, the check `park` interrupts the
 * run, and every other check passes.
 */
async function run(
  replaced: Partial<VerificationChecks>,
  options: { readonly remainders?: string[] } = {},
) {
  const controller = new AbortController()
  let cleanUps = 0
  const checks = { chain: passCheck, 'two-stacks': passCheck, park: passCheck } as const
  const otherChecks = { 'long-call': passCheck, webhook: passCheck, alarm: passCheck } as const
  const interruptRun = async () => {
    controller.abort()
    throw createError('DEPLOYMENT_CANCELLED', 'the verification was interrupted')
  }
  const { reports, remainders } = await runVerification(
    { ...checks, ...otherChecks, park: interruptRun, ...replaced },
    {
      names: checkNames,
      signal: controller.signal,
      cleanUp: async () => {
        cleanUps += 1
        return options.remainders ?? []
      },
      report: () => undefined,
    },
  )
  return { results: reports.map(({ result }) => result), reports, remainders, cleanUps }
}

test('a failed check is cleaned up, its report has the reason, and the run continues', async () => {
  const failCheck = async () => {
    throw createError('DEPLOYMENT_FAILED', 'the up failed: no such key')
  }
  const { results, reports, cleanUps } = await run({ 'two-stacks': failCheck, park: passCheck })
  expect(results).toEqual(['passed', 'failed', 'passed', 'passed', 'passed', 'passed'])
  expect(reports[1]?.message).toBe('[DEPLOYMENT_FAILED] the up failed: no such key')
  expect(cleanUps).toBe(6)
})

test('an interruption cleans up the current check, and reports it and the remaining ones as skipped', async () => {
  const { results, cleanUps } = await run({})
  expect(results).toEqual(['passed', 'passed', 'skipped', 'skipped', 'skipped', 'skipped'])
  expect(cleanUps).toBe(3)
})

test('the remainders of all clean-ups are reported', async () => {
  const { remainders } = await run({}, { remainders: ['the stack a/b remains: busy'] })
  expect(remainders).toEqual(Array(3).fill('the stack a/b remains: busy'))
})
